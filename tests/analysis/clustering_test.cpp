#include "mha/analysis/clustering.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

#include "mha/base/error.hpp"

#include "support/catch.hpp"

namespace mha {
namespace {

std::vector<double> symmetric(std::size_t n, const std::function<double()>& next) {
  std::vector<double> out(n * n, 0.0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) out[a * n + b] = out[b * n + a] = next();
  }
  return out;
}

std::vector<double> random_distances(std::size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  return symmetric(n, [&] { return uniform(engine); });
}

// Merges the closest two clusters again and again; every distance is the mean over all pairs of
// leaves, taken anew.
std::vector<Merge> naive_linkage(std::size_t n, const std::vector<double>& distances) {
  struct Cluster {
    std::size_t id;
    std::vector<std::size_t> leaves;
  };
  std::vector<Cluster> clusters;
  for (std::size_t i = 0; i < n; ++i) clusters.push_back({i, {i}});
  std::vector<Merge> merges;
  while (clusters.size() > 1) {
    std::size_t best_a = 0, best_b = 1;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < clusters.size(); ++a) {
      for (std::size_t b = a + 1; b < clusters.size(); ++b) {
        double sum = 0;
        for (std::size_t i : clusters[a].leaves) {
          for (std::size_t j : clusters[b].leaves) sum += distances[i * n + j];
        }
        const double mean =
            sum / static_cast<double>(clusters[a].leaves.size() * clusters[b].leaves.size());
        if (mean < best) best = mean, best_a = a, best_b = b;
      }
    }
    Cluster merged{n + merges.size(), clusters[best_a].leaves};
    merged.leaves.insert(merged.leaves.end(), clusters[best_b].leaves.begin(),
                         clusters[best_b].leaves.end());
    merges.push_back({clusters[best_a].id, clusters[best_b].id, best, merged.leaves.size()});
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(best_b));
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(best_a));
    clusters.push_back(std::move(merged));
  }
  return merges;
}

std::vector<std::size_t> sorted(std::vector<std::size_t> values) {
  std::ranges::sort(values);
  return values;
}

std::vector<std::size_t> counting(std::size_t n) {
  std::vector<std::size_t> out(n);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

TEST_CASE("average linkage merges random matrices as the greedy algorithm does") {
  for (std::size_t n : {2, 3, 5, 17, 40}) {
    for (unsigned seed = 0; seed < 10; ++seed) {
      const std::vector<double> distances = random_distances(n, seed);
      const std::vector<Merge> expected = naive_linkage(n, distances);
      const std::vector<Merge> got = average_linkage(n, distances);
      REQUIRE(got.size() == n - 1);
      for (std::size_t k = 0; k < got.size(); ++k) {
        REQUIRE(got[k].a == std::min(expected[k].a, expected[k].b));
        REQUIRE(got[k].b == std::max(expected[k].a, expected[k].b));
        REQUIRE(got[k].distance == Approx(expected[k].distance).epsilon(1e-12));
        REQUIRE(got[k].size == expected[k].size);
      }
      REQUIRE(sorted(leaf_order(got, n)) == counting(n));
    }
  }
}

TEST_CASE("two pairs and a loner merge as worked out by hand") {
  // 0 and 3 at 0.1, 1 and 4 at 0.2; the pairs are 0.5 apart on average, 2 is 0.6 away from all.
  const std::vector<double> distances = {0,   0.4, 0.6, 0.1, 0.5,  //
                                         0.4, 0,   0.6, 0.5, 0.2,  //
                                         0.6, 0.6, 0,   0.6, 0.6,  //
                                         0.1, 0.5, 0.6, 0,   0.6,  //
                                         0.5, 0.2, 0.6, 0.6, 0};
  const std::vector<Merge> merges = average_linkage(5, distances);
  REQUIRE(merges.size() == 4);
  const auto check = [&merges](std::size_t k, std::size_t a, std::size_t b, std::size_t size) {
    CHECK(merges[k].a == a);
    CHECK(merges[k].b == b);
    CHECK(merges[k].size == size);
  };
  check(0, 0, 3, 2);
  check(1, 1, 4, 2);
  check(2, 5, 6, 4);
  check(3, 2, 7, 5);
  CHECK(merges[0].distance == 0.1);
  CHECK(merges[1].distance == 0.2);
  CHECK(merges[2].distance == Approx(0.5));
  CHECK(merges[3].distance == Approx(0.6));
  CHECK(leaf_order(merges, 5) == std::vector<std::size_t>{2, 0, 3, 1, 4});
  CHECK(groups(merges, 5, 0.05) == std::vector<std::size_t>{1, 3, 0, 2, 4});
  CHECK(groups(merges, 5, 0.1) == std::vector<std::size_t>{1, 2, 0, 1, 3});
  CHECK(groups(merges, 5, 0.3) == std::vector<std::size_t>{1, 2, 0, 1, 2});
  CHECK(groups(merges, 5, 0.55) == std::vector<std::size_t>{1, 1, 0, 1, 1});
  CHECK(groups(merges, 5, 0.7) == std::vector<std::size_t>(5, 0));
}

TEST_CASE("equal distances give a full tree with increasing distances, and always the same one") {
  std::mt19937 engine(4);
  for (std::size_t levels : {1, 2, 3}) {
    const auto next = [&] { return 0.1 * static_cast<double>(1 + engine() % levels); };
    const std::vector<double> distances = symmetric(60, next);
    const std::vector<Merge> merges = average_linkage(60, distances);
    REQUIRE(merges.size() == 59);
    for (std::size_t k = 0; k < merges.size(); ++k) {
      REQUIRE(merges[k].a < merges[k].b);
      REQUIRE(merges[k].b < 60 + k);
      if (k > 0) REQUIRE(merges[k - 1].distance <= merges[k].distance);
    }
    REQUIRE(merges.back().size == 60);
    const std::vector<std::size_t> order = leaf_order(merges, 60);
    REQUIRE(sorted(order) == counting(60));
    REQUIRE(leaf_order(average_linkage(60, distances), 60) == order);
  }
}

TEST_CASE("a distance that does not exist counts as ln 2") {
  const double nan = std::nan("");
  const std::vector<double> distances = {nan, nan, 0.2, nan, 0, nan, 0.2, nan, 0};
  const std::vector<Merge> merges = average_linkage(3, distances);
  REQUIRE(merges.size() == 2);
  CHECK(merges[0].distance == 0.2);
  CHECK(merges[1].distance == std::numbers::ln2);
}

TEST_CASE("no leaves and one leaf need no merges") {
  CHECK(average_linkage(0, {}).empty());
  CHECK(leaf_order({}, 0).empty());
  CHECK(groups({}, 0, 1).empty());
  const std::vector<double> one = {0};
  CHECK(average_linkage(1, one).empty());
  CHECK(leaf_order({}, 1) == std::vector<std::size_t>{0});
  CHECK(groups({}, 1, 1) == std::vector<std::size_t>{0});
  CHECK_THROWS_AS(average_linkage(2, one), Error);
}

TEST_CASE("a long chain of leaves is put in order") {
  constexpr std::size_t kLeaves = 1500;
  std::vector<double> distances(kLeaves * kLeaves);
  for (std::size_t a = 0; a < kLeaves; ++a) {
    for (std::size_t b = 0; b < kLeaves; ++b) {
      const double far = std::exp(0.01 * static_cast<double>(std::max(a, b)));
      distances[a * kLeaves + b] = a == b ? 0 : far;
    }
  }
  const std::vector<Merge> merges = average_linkage(kLeaves, distances);
  REQUIRE(merges.size() == kLeaves - 1);
  CHECK(merges.back().a == kLeaves - 1);
  CHECK(sorted(leaf_order(merges, kLeaves)) == counting(kLeaves));
}

}  // namespace
}  // namespace mha
