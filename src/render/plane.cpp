#include "plane.hpp"

#include <algorithm>
#include <cmath>

namespace mha::render {
namespace {

constexpr double kWidth = 820;
constexpr double kHeight = 600;
constexpr double kShortestSide = 300;
constexpr double kBorder = 0.07;  // of the range, free on each side

// How much larger than usual so many points are drawn.
double growth(std::size_t n) {
  return n <= 100 ? 1 : n <= 400 ? 1.2 : 1.45;
}

// What the points cover; never empty, and with a size in at least one direction.
void cover(const ScatterFigure& figure, Plane* plane) {
  for (const ScatterPoint& point : figure.points) {
    if (!has_place(point)) continue;
    plane->x.add(point.x);
    plane->y.add(point.y);
  }
  if (plane->x.size() < 0) plane->x = plane->y = {0, 0};
  const double largest = std::max({std::fabs(plane->x.low), std::fabs(plane->x.high),
                                   std::fabs(plane->y.low), std::fabs(plane->y.high)});
  // Points in one place, or nearer than doubles can tell well, get room around them.
  if (std::max(plane->x.size(), plane->y.size()) <= 1e-9 * largest) {
    plane->x.widen_to(std::max(1.0, 1e-3 * largest));
  }
}

}  // namespace

void Range::add(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

void Range::widen_to(double wanted) {
  const double more = (wanted - size()) / 2;
  low -= more;
  high += more;
}

bool has_place(const ScatterPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

Plane choose_plane(const ScatterFigure& figure, const PictureStyle& style) {
  Plane out;
  cover(figure, &out);
  const double border = 2 * kBorder * std::max(out.x.size(), out.y.size());
  out.x.widen_to(out.x.size() + border);
  out.y.widen_to(out.y.size() + border);
  const double most = static_cast<double>(style.max_size);
  const double scale = style.area * ui_scale(style) * growth(figure.points.size());
  const double width = std::min(kWidth * scale, most);
  const double height = std::min(kHeight * scale, most);
  const double least = std::min(style.area * kShortestSide * ui_scale(style), most);
  out.unit = std::min(width / out.x.size(), height / out.y.size());
  out.width = static_cast<int>(std::max(out.unit * out.x.size(), least));
  out.height = static_cast<int>(std::max(out.unit * out.y.size(), least));
  out.x.widen_to(out.width / out.unit);
  out.y.widen_to(out.height / out.unit);
  return out;
}

}  // namespace mha::render
