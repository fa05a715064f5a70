// Jensen-Shannon distances between all pairs of 144 heads (or as many as the argument says) of
// 512 x 512 known weights, their clustering and their map.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "mha/analysis/clustering.hpp"
#include "mha/analysis/mds.hpp"
#include "mha/analysis/similarity.hpp"
#include "mha/attention/precomputed.hpp"
#include "mha/attention/row_kernels.hpp"
#include "mha/base/parallel.hpp"

#include "bench/bench.hpp"

namespace mha::bench {
namespace {

constexpr std::size_t kTokens = 512;
constexpr AttentionShape kShape{kTokens, kTokens, false};

// Softmax rows of random scores; later heads are sharper.
FloatVector make_weights(std::size_t n_heads, bool causal) {
  std::mt19937 engine(1);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> scores(1 << 20);
  for (float& s : scores) s = normal(engine);
  FloatVector weights(n_heads * kTokens * kTokens, 0.0F);
  for (std::size_t head = 0; head < n_heads; ++head) {
    const auto sharpness = static_cast<float>(head % 12 + 1) * 0.5F;
    for (std::size_t i = 0; i < kTokens; ++i) {
      float* row = &weights[(head * kTokens + i) * kTokens];
      const std::size_t n = causal ? i + 1 : kTokens;
      const std::size_t start = (head * 7919 + i * 611953) % (scores.size() - kTokens);
      for (std::size_t j = 0; j < n; ++j) row[j] = sharpness * scores[start + j];
      softmax_row(row, n);
    }
  }
  return weights;
}

PrecomputedAttention make_source(std::size_t n_heads, bool causal) {
  PrecomputedLayer layer;
  layer.n_heads = n_heads;
  layer.shape = kShape;
  layer.weights = FloatStorage(make_weights(n_heads, causal));
  layer.mask.causal = causal;
  std::vector<PrecomputedLayer> layers;
  layers.push_back(std::move(layer));
  return PrecomputedAttention(std::move(layers));
}

// Half of both divergences from the mean row, by plain loops.
double direct_distance(const FloatVector& weights, std::size_t a, std::size_t b) {
  constexpr std::size_t kCells = kTokens * kTokens;
  double sum = 0;
  for (std::size_t i = 0; i < kCells; ++i) {
    const auto p = static_cast<double>(weights[a * kCells + i]);
    const auto q = static_cast<double>(weights[b * kCells + i]);
    const double m = (p + q) / 2;
    if (p > 0) sum += p * std::log(p / m) / 2;
    if (q > 0) sum += q * std::log(q / m) / 2;
  }
  return sum / kTokens;
}

void check(const HeadDistances& distances, std::size_t n_heads, bool causal) {
  const FloatVector weights = make_weights(n_heads, causal);
  const std::size_t last = n_heads - 1;
  const std::size_t pairs[][2] = {{0, 1}, {0, last}, {3, 11}, {last, last / 2}, {7, 8}};
  double worst = 0;
  for (const auto& [a, b] : pairs) {
    const double error = std::abs(distances(a, b) - direct_distance(weights, a, b));
    worst = std::max(worst, error);
  }
  std::printf("largest error of 5 pairs %.1e\n", worst);
  if (worst < 1e-6) return;
  std::fprintf(stderr, "distances are wrong by %g\n", worst);
  std::exit(1);
}

void run(std::size_t n_heads, bool causal) {
  const PrecomputedAttention source = make_source(n_heads, causal);
  std::vector<HeadSlot> slots;
  for (std::size_t h = 0; h < n_heads; ++h) slots.push_back({0, h});
  HeadDistances distances = head_distances(source, slots, {});
  std::printf("%zu heads of %zu x %zu, %s: ", n_heads, kTokens, kTokens,
              causal ? "causal" : "no mask");
  check(distances, n_heads, causal);
  std::vector<double> times, cluster_times, map_times;
  for (int i = 0; i < (n_heads > 300 ? 1 : 5); ++i) {
    times.push_back(seconds([&] { distances = head_distances(source, slots, {}); }));
    cluster_times.push_back(seconds([&] { average_linkage(n_heads, distances.js); }));
    map_times.push_back(seconds([&] { classical_mds(n_heads, distances.js); }));
  }
  const double keys = causal ? (kTokens + 1) / 2.0 : static_cast<double>(kTokens);
  const auto pairs = static_cast<double>(n_heads * (n_heads - 1) / 2);
  std::printf("  distances %.3f s, %.2f ns a pair of weights, on %zu cores\n", median(times),
              median(times) * 1e9 / (pairs * kTokens * keys), effective_threads(0));
  std::printf("  clustering %.1f ms, map %.1f ms\n", median(cluster_times) * 1e3,
              median(map_times) * 1e3);
}

}  // namespace
}  // namespace mha::bench

int main(int argc, char** argv) {
  const std::size_t n_heads = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 144;
  if (n_heads < 12) {
    std::fprintf(stderr, "expected at least 12 heads\n");
    return 2;
  }
  mha::bench::run(n_heads, false);
  mha::bench::run(n_heads, true);
  return 0;
}
