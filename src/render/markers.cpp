#include "markers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace mha::render {
namespace {

constexpr int kSamples = 6;  // a pixel's coverage is counted on kSamples x kSamples places

// Whether a place lies in a shape of about the area of a circle of radius 1; y grows downwards. A
// positive result is the depth below the edge, about.
using Shape = double (*)(double x, double y);

double circle(double x, double y) {
  return 1 - std::hypot(x, y);
}

double square(double x, double y) {
  return 0.86 - std::max(std::fabs(x), std::fabs(y));
}

double diamond(double x, double y) {
  return (1.22 - std::fabs(x) - std::fabs(y)) / std::numbers::sqrt2;
}

// Equilateral, its centre of gravity at the origin.
double triangle(double x, double y) {
  const double side = (std::numbers::sqrt3 * std::fabs(x) - y) / 2;
  return 0.68 - std::max(y, side);
}

double triangle_down(double x, double y) {
  return triangle(x, -y);
}

double plus(double x, double y) {
  const double a = std::fabs(x), b = std::fabs(y);
  return std::min(1.08 - std::max(a, b), 0.42 - std::min(a, b));
}

double cross(double x, double y) {
  const double half = std::numbers::sqrt2 / 2;
  return plus(half * (x - y), half * (x + y));
}

// Five points: the edge between a tip and the next inner corner, mirrored into one tenth.
double star(double x, double y) {
  constexpr double kTip = 1.34, kInner = 0.6, kTenth = std::numbers::pi / 5;
  double angle = std::fabs(std::atan2(x, -y));
  angle = std::fabs(angle - 2 * kTenth * std::round(angle / (2 * kTenth)));
  const double r = std::hypot(x, y);
  const double px = r * std::cos(angle), py = r * std::sin(angle);
  const double ex = kInner * std::cos(kTenth) - kTip, ey = kInner * std::sin(kTenth);
  return (ey * (kTip - px) + ex * py) / std::hypot(ex, ey);
}

constexpr std::array<Shape, 8> kShapes = {circle,        square, triangle, diamond,
                                          triangle_down, cross,  plus,     star};

// The part of the shape that is deeper than `inset` (in radii), as a mask with its pen in the
// middle.
TextBitmap mask_of(Shape shape, double radius, double inset) {
  const int reach = static_cast<int>(std::ceil(1.4 * radius));
  TextBitmap mask;
  mask.width = mask.height = 2 * reach + 1;
  mask.pen_x = mask.pen_y = reach;
  for (int py = -reach; py <= reach; ++py) {
    for (int px = -reach; px <= reach; ++px) {
      int hits = 0;
      for (int sample = 0; sample < kSamples * kSamples; ++sample) {
        const int col = sample % kSamples;
        const int row = sample / kSamples;
        const double x = px - 0.5 + (col + 0.5) / kSamples;
        const double y = py - 0.5 + (row + 0.5) / kSamples;
        hits += shape(x / radius, y / radius) >= inset ? 1 : 0;
      }
      const int coverage = hits * 255 / (kSamples * kSamples);
      mask.coverage.push_back(static_cast<std::uint8_t>(coverage));
    }
  }
  return mask;
}

Marker marker_of(Shape shape, int size, Rgb color, const Theme& theme) {
  const double radius = std::max(1.5, size / 2.0);
  const double stroke = std::clamp(0.11 * size, 0.8, 3.0) / radius;
  const Rgb edge = mix(color, theme.dark ? theme.background : theme.foreground, 0.55);
  return {mask_of(shape, radius, 0), mask_of(shape, radius, stroke), edge, color};
}

}  // namespace

Marker make_marker(std::size_t kind, int size, Rgb color, const Theme& theme) {
  return marker_of(kShapes[kind % kShapes.size()], size, color, theme);
}

Marker plain_marker(int size, const Theme& theme) {
  return marker_of(circle, size * 3 / 4, theme.muted, theme);
}

void draw_marker(Canvas* canvas, const Marker& marker, int x, int y) {
  canvas->text(marker.edge, x, y, marker.edge_color);
  canvas->text(marker.inside, x, y, marker.color);
}

}  // namespace mha::render
