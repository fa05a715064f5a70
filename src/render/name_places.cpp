#include "name_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace mha::render {
namespace {

// Indices of the points, the loneliest first.
std::vector<std::size_t> by_loneliness(const std::vector<Rect>& points) {
  std::vector<double> nearest(points.size(), std::numeric_limits<double>::infinity());
  const auto middle = [](const Rect& r) {
    return std::pair(r.x + 0.5 * r.width, r.y + 0.5 * r.height);
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [x, y] = middle(points[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const auto [other_x, other_y] = middle(points[j]);
      const double distance = std::hypot(x - other_x, y - other_y);
      nearest[i] = std::min(nearest[i], distance);
      nearest[j] = std::min(nearest[j], distance);
    }
  }
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return nearest[a] > nearest[b]; });
  return order;
}

// Places around a point, the best first: right, left, above, below, then the corners.
std::array<Rect, 8> candidates(const Rect& point, NameSize name, int gap) {
  const int left = point.x - gap - name.width;
  const int right = point.right() + gap;
  const int above = point.y - gap / 2 - name.height;
  const int below = point.bottom() + gap / 2;
  const int center = point.x + (point.width - name.width) / 2;
  const int middle = point.y + (point.height - name.height) / 2;
  const auto box = [&](int x, int y) { return Rect{x, y, name.width, name.height}; };
  return {box(right, middle),     box(left, middle),       box(center, above),
          box(center, below),     box(right - gap, above), box(right - gap, below),
          box(left + gap, above), box(left + gap, below)};
}

bool is_free(const Rect& name, int gap, const std::vector<Rect>& taken) {
  const Rect box{name.x - gap, name.y, name.width + 2 * gap, name.height};
  return std::none_of(taken.begin(), taken.end(),
                      [&](const Rect& other) { return other.overlaps(box); });
}

}  // namespace

std::vector<std::optional<Rect>> place_names(const std::vector<Rect>& points,
                                             const std::vector<NameSize>& sizes, const Rect& area,
                                             int gap) {
  std::vector<std::optional<Rect>> places(points.size());
  std::vector<Rect> taken = points;
  for (const std::size_t i : by_loneliness(points)) {
    if (sizes[i].width == 0) continue;
    for (const Rect& box : candidates(points[i], sizes[i], gap)) {
      if (!area.contains(box) || !is_free(box, gap - 1, taken)) continue;
      places[i] = box;
      taken.push_back(box);
      break;
    }
  }
  return places;
}

}  // namespace mha::render
