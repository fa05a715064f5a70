#include "mha/analysis/mds.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include "mha/base/error.hpp"

#include "support/catch.hpp"

namespace mha {
namespace {

using Points = std::vector<std::vector<double>>;

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return std::sqrt(sum);
}

std::vector<double> distances_between(const Points& points) {
  std::vector<double> out;
  for (const auto& a : points) {
    for (const auto& b : points) out.push_back(distance(a, b));
  }
  return out;
}

Points random_points(std::size_t n, std::size_t n_dims, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0, 1);
  Points points(n, std::vector<double>(n_dims));
  for (auto& point : points) {
    for (double& x : point) x = normal(engine);
  }
  return points;
}

TEST_CASE("points in a plane are found again up to rotation, reflection and place") {
  const Points points = random_points(40, 2, 1);
  const PlaneMap map = classical_mds(40, distances_between(points));
  CHECK(map.share == Approx(1.0));
  double mean[2] = {0, 0};
  double spread[2] = {0, 0};
  for (std::size_t a = 0; a < 40; ++a) {
    for (std::size_t d = 0; d < 2; ++d) {
      mean[d] += map.points[a][d];
      spread[d] += map.points[a][d] * map.points[a][d];
    }
    for (std::size_t b = 0; b < 40; ++b) {
      const double got =
          std::hypot(map.points[a][0] - map.points[b][0], map.points[a][1] - map.points[b][1]);
      REQUIRE(got == Approx(distance(points[a], points[b])).margin(1e-10));
    }
  }
  CHECK(mean[0] == Approx(0).margin(1e-10));
  CHECK(mean[1] == Approx(0).margin(1e-10));
  CHECK(spread[0] >= spread[1]);
}

TEST_CASE("in each dimension the coordinate of largest magnitude is positive") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const PlaneMap map = classical_mds(9, distances_between(random_points(9, 3, seed)));
    for (std::size_t d = 0; d < 2; ++d) {
      double largest = 0;
      for (const auto& point : map.points) {
        if (std::fabs(point[d]) > std::fabs(largest)) largest = point[d];
      }
      REQUIRE(largest > 0);
    }
  }
}

TEST_CASE("the share is the part of the positive eigenvalues that two dimensions hold") {
  // Four points that are all 1 apart span three dimensions alike.
  std::vector<double> distances(16, 1.0);
  for (std::size_t i = 0; i < 4; ++i) distances[i * 5] = 0;
  CHECK(classical_mds(4, distances).share == Approx(2.0 / 3));
}

TEST_CASE("points on a line have one dimension and an exact zero in the other") {
  const PlaneMap map = classical_mds(3, distances_between({{0, 0}, {1, 0}, {3, 0}}));
  CHECK(map.share == 1.0);
  CHECK(map.points[0][0] == Approx(-4.0 / 3));
  CHECK(map.points[1][0] == Approx(-1.0 / 3));
  CHECK(map.points[2][0] == Approx(5.0 / 3));
  for (const auto& point : map.points) CHECK(point[1] == 0.0);
}

TEST_CASE("maps of no, one and two points, of equal points, and of unknown distances") {
  CHECK(classical_mds(0, {}).points.empty());
  const std::vector<double> one = {0};
  CHECK(classical_mds(1, one).points == std::vector<std::array<double, 2>>{{0.0, 0.0}});
  CHECK(classical_mds(1, one).share == 1.0);
  const double nan = std::nan("");
  const std::vector<double> two = {nan, nan, nan, nan};
  const PlaneMap map = classical_mds(2, two);
  CHECK(map.points[0][0] == Approx(std::numbers::ln2 / 2));
  CHECK(map.points[1][0] == Approx(-std::numbers::ln2 / 2));
  CHECK(map.points[0][1] == 0.0);
  const std::vector<double> equal(9, 0.0);
  for (const auto& point : classical_mds(3, equal).points) {
    CHECK(point == std::array<double, 2>{0.0, 0.0});
  }
  CHECK_THROWS_AS(classical_mds(2, one), Error);
}

}  // namespace
}  // namespace mha
