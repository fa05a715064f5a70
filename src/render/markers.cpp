#include "markers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace mha::render {
namespace {

constexpr int kMarkerSamples =
    6;  // a pixel's coverage is counted on kMarkerSamples x kMarkerSamples places
constexpr double kStarTip = 1.34;
constexpr double kStarInner = 0.6;

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
  constexpr double kTip = kStarTip, kInner = kStarInner, kTenth = std::numbers::pi / 5;
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
      for (int sample = 0; sample < kMarkerSamples * kMarkerSamples; ++sample) {
        const int col = sample % kMarkerSamples;
        const int row = sample / kMarkerSamples;
        const double x = px - 0.5 + (col + 0.5) / kMarkerSamples;
        const double y = py - 0.5 + (row + 0.5) / kMarkerSamples;
        hits += shape(x / radius, y / radius) >= inset ? 1 : 0;
      }
      const int coverage = hits * 255 / (kMarkerSamples * kMarkerSamples);
      mask.coverage.push_back(static_cast<std::uint8_t>(coverage));
    }
  }
  return mask;
}

Marker marker_of(std::size_t kind, int size, Rgb color, const Theme& theme) {
  const Shape shape = kShapes[kind];
  const double radius = std::max(1.5, size / 2.0);
  const double stroke = std::clamp(0.11 * size, 0.8, 3.0) / radius;
  const Rgb edge = mix(color, theme.dark ? theme.background : theme.foreground, 0.55);
  return {kind, radius, stroke, mask_of(shape, radius, 0), mask_of(shape, radius, stroke),
          edge, color};
}

// `n` corners around the middle, the first one `turn` from the top, clockwise.
std::vector<PointF> regular(int n, double radius, double turn) {
  std::vector<PointF> out;
  for (int i = 0; i < n; ++i) {
    const double angle = turn + 2 * std::numbers::pi * i / n;
    out.push_back({radius * std::sin(angle), -radius * std::cos(angle)});
  }
  return out;
}

std::vector<PointF> plus_corners(double inset, double turn) {
  const double arm = 1.08 - inset, half = 0.42 - inset;
  std::vector<PointF> out;
  for (int i = 0; i < 4; ++i) {
    const double angle = turn + std::numbers::pi / 2 * i;
    const double s = std::sin(angle), c = std::cos(angle);
    const auto add = [&](double x, double y) { out.push_back({x * c - y * s, x * s + y * c}); };
    add(-half, -arm);
    add(half, -arm);
    add(half, -half);
  }
  return out;
}

// All edges are equally far from the middle: the inside is the same star, smaller.
std::vector<PointF> star_corners(double inset) {
  constexpr double kTenth = std::numbers::pi / 5;
  const double ex = kStarInner * std::cos(kTenth) - kStarTip, ey = kStarInner * std::sin(kTenth);
  const double depth = ey * kStarTip / std::hypot(ex, ey);
  const double scale = (depth - inset) / depth;
  std::vector<PointF> out;
  for (int i = 0; i < 10; ++i) {
    const double radius = scale * (i % 2 == 0 ? kStarTip : kStarInner);
    out.push_back({radius * std::sin(kTenth * i), -radius * std::cos(kTenth * i)});
  }
  return out;
}

}  // namespace

Marker make_marker(std::size_t kind, int size, Rgb color, const Theme& theme) {
  return marker_of(kind % kShapes.size(), size, color, theme);
}

Marker plain_marker(int size, const Theme& theme) {
  return marker_of(0, size * 3 / 4, theme.muted, theme);
}

std::vector<PointF> marker_corners(std::size_t kind, double inset) {
  constexpr double kTurn = 2 * std::numbers::pi;
  switch (kind % kShapes.size()) {
    case 1:
      return regular(4, (0.86 - inset) * std::numbers::sqrt2, kTurn / 8);
    case 2:
      return regular(3, 2 * (0.68 - inset), 0);
    case 3:
      return regular(4, 1.22 - inset * std::numbers::sqrt2, 0);
    case 4:
      return regular(3, 2 * (0.68 - inset), kTurn / 2);
    case 5:
      return plus_corners(inset, kTurn / 8);
    case 6:
      return plus_corners(inset, 0);
    case 7:
      return star_corners(inset);
    default:
      return {};
  }
}

}  // namespace mha::render
