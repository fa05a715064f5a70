#include "name_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace mha::render {
namespace {

constexpr double kClear = 2;       // gaps between a name and any point but its own ...
constexpr double kClearLevel = 4;  // ... and one that is level with it, where its own would stand
constexpr std::size_t kMostLeaders = 200;   // points; among more, leaders would be a thicket
constexpr std::size_t kMostExchanges = 64;  // likewise, for names that give way to others ...
constexpr double kExchange = 6;             // ... no farther away than this, in heights of a name
constexpr int kRings = 16;                  // lengths of leaders that are tried ...
constexpr int kDirections = 24;             // ... and directions of each
constexpr double kSideways = 0.35;  // cosine from which a name stands beside its leader's end

PointF middle_of(const Rect& r) {
  return {r.x + 0.5 * r.width, r.y + 0.5 * r.height};
}

double distance_between(const Rect& a, const Rect& b) {
  const int across = std::max({0, a.x - b.right(), b.x - a.right()});
  const int down = std::max({0, a.y - b.bottom(), b.y - a.bottom()});
  return std::hypot(across, down);
}

Rect grown(const Rect& r, int by) {
  return {r.x - by, r.y - by, r.width + 2 * by, r.height + 2 * by};
}

// The part of the line that is within the rectangle is not empty (Liang and Barsky 1984).
bool crosses(const NameLeader& line, const Rect& rect) {
  double first = 0, last = 1;
  const auto clip = [&](double from, double to, double low, double high) {
    const double way = to - from;
    if (way == 0) return from >= low && from <= high;
    const auto [enter, leave] = std::minmax({(low - from) / way, (high - from) / way});
    first = std::max(first, enter);
    last = std::min(last, leave);
    return first <= last;
  };
  return clip(line.from.x, line.to.x, rect.x, rect.right()) &&
         clip(line.from.y, line.to.y, rect.y, rect.bottom());
}

bool crosses(const NameLeader& a, const NameLeader& b) {
  const auto side = [](const NameLeader& line, PointF p) {
    return (line.to.x - line.from.x) * (p.y - line.from.y) -
           (line.to.y - line.from.y) * (p.x - line.from.x);
  };
  return side(a, b.from) * side(a, b.to) <= 0 && side(b, a.from) * side(b, a.to) <= 0;
}

class NamePlacer {
 public:
  NamePlacer(const std::vector<Rect>& points, const std::vector<NameSize>& sizes, const Rect& area,
             int gap)
      : points_(points), sizes_(sizes), area_(area), gap_(gap), places_(points.size()) {}

  std::vector<std::optional<NamePlace>> place();

 private:
  std::vector<std::size_t> by_loneliness() const;
  std::array<Rect, 8> beside(std::size_t i) const;
  std::array<double, kDirections> directions_of(std::size_t i) const;
  NamePlace at_end(std::size_t i, double angle, double length) const;
  bool is_one_place(std::size_t i, std::size_t j) const;
  bool is_free(std::size_t i, const NamePlace& place) const;
  bool is_clear(std::size_t i, const NamePlace& place) const;
  void try_beside(std::size_t i);
  void try_leaders(std::size_t i);
  void try_exchange(std::size_t i);

  const std::vector<Rect>& points_;
  const std::vector<NameSize>& sizes_;
  const Rect area_;
  const int gap_;
  std::vector<std::optional<NamePlace>> places_;
};

std::vector<std::optional<NamePlace>> NamePlacer::place() {
  const std::vector<std::size_t> order = by_loneliness();
  for (const std::size_t i : order) {
    if (sizes_[i].width > 0) try_beside(i);
  }
  if (points_.size() > kMostLeaders) return places_;
  for (const std::size_t i : order) {
    if (sizes_[i].width > 0 && !places_[i]) try_leaders(i);
  }
  if (points_.size() > kMostExchanges) return places_;
  for (const std::size_t i : order) {
    if (sizes_[i].width > 0 && !places_[i]) try_exchange(i);
  }
  return places_;
}

// Indices of the points, the loneliest first.
std::vector<std::size_t> NamePlacer::by_loneliness() const {
  std::vector<double> nearest(points_.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const PointF at = middle_of(points_[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const PointF other = middle_of(points_[j]);
      const double distance = std::hypot(at.x - other.x, at.y - other.y);
      nearest[i] = std::min(nearest[i], distance);
      nearest[j] = std::min(nearest[j], distance);
    }
  }
  std::vector<std::size_t> order(points_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return nearest[a] > nearest[b]; });
  return order;
}

// Places around a point, the best first: right, left, above, below, then the corners.
std::array<Rect, 8> NamePlacer::beside(std::size_t i) const {
  const Rect& point = points_[i];
  const NameSize& name = sizes_[i];
  const int left = point.x - gap_ - name.width;
  const int right = point.right() + gap_;
  const int above = point.y - gap_ / 2 - name.height;
  const int below = point.bottom() + gap_ / 2;
  const int center = point.x + (point.width - name.width) / 2;
  const int middle = point.y + (point.height - name.height) / 2;
  const auto box = [&](int x, int y) { return Rect{x, y, name.width, name.height}; };
  return {box(right, middle),      box(left, middle),        box(center, above),
          box(center, below),      box(right - gap_, above), box(right - gap_, below),
          box(left + gap_, above), box(left + gap_, below)};
}

// Angles of leaders, first those that lead away from the other points.
std::array<double, kDirections> NamePlacer::directions_of(std::size_t i) const {
  const PointF at = middle_of(points_[i]);
  PointF away;
  for (std::size_t j = 0; j < points_.size(); ++j) {
    const PointF other = middle_of(points_[j]);
    const double x = at.x - other.x, y = at.y - other.y;
    const double square = x * x + y * y;
    if (square == 0) continue;
    away.x += x / square;
    away.y += y / square;
  }
  const double best = std::atan2(away.y, away.x);
  std::array<double, kDirections> out;
  for (int k = 0; k < kDirections; ++k) {
    const int turn = (k + 1) / 2 * (k % 2 == 0 ? 1 : -1);
    out[static_cast<std::size_t>(k)] = best + turn * 2 * std::numbers::pi / kDirections;
  }
  return out;
}

// A name at the end of a leader of this length, seen from the edge of the marker.
NamePlace NamePlacer::at_end(std::size_t i, double angle, double length) const {
  const PointF at = middle_of(points_[i]);
  const double dx = std::cos(angle), dy = std::sin(angle);
  const double start = 0.5 * points_[i].width;
  NamePlace out;
  out.leader = {{at.x + start * dx, at.y + start * dy},
                {at.x + (start + length) * dx, at.y + (start + length) * dy}};
  const PointF end = out.leader->to;
  const NameSize& name = sizes_[i];
  const int space = (gap_ + 1) / 2;
  const auto whole = [](double value) { return static_cast<int>(std::lround(value)); };
  out.box = {whole(end.x - 0.5 * name.width), whole(end.y - 0.5 * name.height), name.width,
             name.height};
  if (std::fabs(dx) >= kSideways) {
    out.box.x = whole(end.x) + (dx > 0 ? space : -space - name.width);
  } else {
    out.box.y = whole(end.y) + (dy > 0 ? space : -space - name.height);
  }
  return out;
}

// Points that are seen as one: leaders from it may begin under any of their markers.
bool NamePlacer::is_one_place(std::size_t i, std::size_t j) const {
  const PointF a = middle_of(points_[i]), b = middle_of(points_[j]);
  return std::hypot(a.x - b.x, a.y - b.y) < 0.4 * points_[i].width;
}

// Covers neither a point nor a name, and crosses no leader.
bool NamePlacer::is_free(std::size_t i, const NamePlace& place) const {
  if (!area_.contains(place.box)) return false;
  const Rect& name = place.box;
  const int between = gap_ - 1;
  const Rect wide{name.x - between, name.y, name.width + 2 * between, name.height};
  for (const Rect& point : points_) {
    if (point.overlaps(wide)) return false;
  }
  const int aside = std::max(1, gap_ / 2);  // of leaders
  for (std::size_t j = 0; place.leader && j < points_.size(); ++j) {
    if (j == i || is_one_place(i, j)) continue;
    if (crosses(*place.leader, grown(points_[j], 1))) return false;
  }
  const Rect roomy{wide.x, wide.y - aside, wide.width, wide.height + 2 * aside};
  return std::none_of(places_.begin(), places_.end(), [&](const auto& taken) {
    if (!taken) return false;
    const NamePlace& other = *taken;
    return other.box.overlaps(roomy) ||
           (other.leader && crosses(*other.leader, grown(name, aside))) ||
           (place.leader && crosses(*place.leader, grown(other.box, aside))) ||
           (place.leader && other.leader && crosses(*place.leader, *other.leader));
  });
}

// No other point is so near that the name could be its own.
bool NamePlacer::is_clear(std::size_t i, const NamePlace& place) const {
  for (std::size_t j = 0; j < points_.size(); ++j) {
    if (j == i) continue;
    const double level = middle_of(points_[j]).y;
    const bool is_level = level >= place.box.y && level <= place.box.bottom();
    const double least = (is_level ? kClearLevel : kClear) * gap_;
    if (distance_between(place.box, points_[j]) < least) return false;
  }
  return true;
}

void NamePlacer::try_beside(std::size_t i) {
  for (const Rect& box : beside(i)) {
    const NamePlace place{box, std::nullopt};
    if (!is_free(i, place) || !is_clear(i, place)) continue;
    places_[i] = place;
    return;
  }
}

void NamePlacer::try_leaders(std::size_t i) {
  const auto directions = directions_of(i);
  for (int ring = 1; ring <= kRings; ++ring) {
    for (const double angle : directions) {
      const NamePlace place = at_end(i, angle, (0.4 + 0.6 * ring) * sizes_[i].height);
      if (!is_free(i, place) || !is_clear(i, place)) continue;
      places_[i] = place;
      return;
    }
  }
}

// Another name goes elsewhere, if it can, where that makes room for this one.
void NamePlacer::try_exchange(std::size_t i) {
  for (std::size_t j = 0; j < points_.size() && !places_[i]; ++j) {
    if (!places_[j] ||
        distance_between(points_[i], places_[j]->box) > kExchange * sizes_[i].height) {
      continue;
    }
    const NamePlace before = *places_[j];
    places_[j].reset();
    try_beside(i);
    if (!places_[i]) try_leaders(i);
    if (places_[i]) try_beside(j);
    if (places_[i] && !places_[j]) try_leaders(j);
    if (places_[j]) return;
    places_[i].reset();
    places_[j] = before;
  }
}

}  // namespace

std::vector<std::optional<NamePlace>> place_names(const std::vector<Rect>& points,
                                                  const std::vector<NameSize>& sizes,
                                                  const Rect& area, int gap) {
  return NamePlacer(points, sizes, area, gap).place();
}

}  // namespace mha::render
