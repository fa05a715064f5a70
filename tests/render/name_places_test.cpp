// Names beside points: whose is it?
#include "render/name_places.hpp"

#include <cmath>
#include <random>

#include "figures.hpp"
#include "support/catch.hpp"

namespace mha::render {
namespace {

constexpr int kSide = 14;
constexpr int kGap = 4;
constexpr NameSize kName{36, 12};
constexpr Rect kArea{0, 0, 400, 300};

Rect marker_at(int x, int y) {
  return {x - kSide / 2, y - kSide / 2, kSide, kSide};
}

double distance(const Rect& a, const Rect& b) {
  const int across = std::max({0, a.x - b.right(), b.x - a.right()});
  const int down = std::max({0, a.y - b.bottom(), b.y - a.bottom()});
  return std::hypot(across, down);
}

std::vector<std::optional<NamePlace>> place(const std::vector<Rect>& points) {
  return place_names(points, std::vector<NameSize>(points.size(), kName), kArea, kGap);
}

// Samples of a leader are in none of the boxes.
bool keeps_off(const NameLeader& leader, const Rect& box) {
  for (int i = 0; i <= 100; ++i) {
    const double part = i / 100.0;
    const double x = leader.from.x + part * (leader.to.x - leader.from.x);
    const double y = leader.from.y + part * (leader.to.y - leader.from.y);
    if (x > box.x && x < box.right() && y > box.y && y < box.bottom()) return false;
  }
  return true;
}

// So near that both markers look like one.
bool in_one_place(const Rect& a, const Rect& b) {
  return std::hypot(a.x - b.x, a.y - b.y) < kSide / 2;
}

void check_places(const std::vector<Rect>& points,
                  const std::vector<std::optional<NamePlace>>& places) {
  std::vector<Rect> boxes = points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    CAPTURE(i);
    if (!places[i]) continue;
    const NamePlace& own = *places[i];
    CHECK(kArea.contains(own.box));
    for (std::size_t j = 0; j < points.size(); ++j) {
      CHECK(!points[j].overlaps(own.box));
      if (j == i) continue;
      if (!own.leader) CHECK(distance(points[j], own.box) > 1.5 * distance(points[i], own.box));
      if (own.leader && !in_one_place(points[i], points[j])) {
        CHECK(keeps_off(*own.leader, points[j]));
      }
      if (own.leader && places[j]) CHECK(keeps_off(*own.leader, places[j]->box));
      if (places[j]) CHECK(!places[j]->box.overlaps(own.box));
    }
    if (!own.leader) continue;
    const auto [from, to] = *own.leader;
    const Rect start{static_cast<int>(from.x) - 1, static_cast<int>(from.y) - 1, 2, 2};
    const Rect end{static_cast<int>(to.x) - 1, static_cast<int>(to.y) - 1, 2, 2};
    CHECK(distance(start, points[i]) <= 1);
    CHECK(distance(end, own.box) <= kGap);
  }
}

TEST_CASE("a lonely point has its name to its right, at the edge to its left") {
  const auto places = place({marker_at(100, 100), marker_at(390, 200)});
  REQUIRE(places[0]);
  REQUIRE(places[1]);
  CHECK(places[0]->box.x == 107 + kGap);
  CHECK(!places[0]->leader);
  CHECK(places[1]->box.right() == 383 - kGap);
}

TEST_CASE("a name does not stand where it could be that of another point") {
  // The second point is where the first one's name would end.
  const std::vector<Rect> points = {marker_at(100, 100),
                                    marker_at(100 + kSide + kName.width + 16, 100)};
  const auto places = place(points);
  check_places(points, places);
  REQUIRE(places[0]);
  CHECK(places[0]->box.right() < 100);
}

TEST_CASE("a point in the middle of others has its name farther away, with a leader") {
  std::vector<Rect> points;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) points.push_back(marker_at(200 + 22 * x, 150 + 22 * y));
  }
  const auto places = place(points);
  check_places(points, places);
  std::size_t n_named = 0, n_leaders = 0;
  for (const auto& own : places) {
    n_named += own.has_value();
    n_leaders += own && own->leader;
  }
  CHECK(n_named >= 8);
  CHECK(n_leaders > 0);
}

TEST_CASE("in a crowd no name is read with another point, and no leader crosses one") {
  std::mt19937 random(7);
  for (const std::size_t n : {24, 60, 200, 300}) {
    CAPTURE(n);
    std::vector<Rect> points;
    for (std::size_t i = 0; i < n; ++i) {
      const auto next = [&](int size) {
        return static_cast<int>(random() % static_cast<unsigned>(size));
      };
      points.push_back(marker_at(60 + next(280), 50 + next(200)));
    }
    const auto places = place(points);
    check_places(points, places);
    const auto named =
        std::count_if(places.begin(), places.end(), [](const auto& p) { return p.has_value(); });
    CHECK(named >= (n == 24 ? 20 : 1));
  }
}

TEST_CASE("points in one place and points without a name are no trouble") {
  const std::vector<Rect> points(3, marker_at(100, 100));
  const auto places = place(points);
  check_places(points, places);
  for (const auto& own : places) CHECK((own && own->leader));
  const auto none = place_names({marker_at(9, 9)}, {{0, 0}}, kArea, kGap);
  CHECK(!none[0]);
}

}  // namespace
}  // namespace mha::render
