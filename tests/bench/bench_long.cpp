// One long causal head: what a pass over n x n/2 cells costs beside sgemm alone, and its peak
// memory.
//
//   bench_long pooled [n]   Q, K, V; pooled map and output, no whole rows
//   bench_long rows [n]     Q, K; pooled map and all row statistics
//   bench_long window [n]   as pooled, with a window of n / 32
//
// The result at a smaller n is checked against the oracle before anything is timed.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>

#include "mha/analysis/cell_maps.hpp"
#include "mha/analysis/head_stats.hpp"
#include "mha/attention/attend.hpp"
#include "mha/base/checked.hpp"
#include "mha/base/parallel.hpp"
#include "mha/tensor/gemm.hpp"

#include "bench/bench.hpp"
#include "support/collect.hpp"
#include "support/oracle.hpp"

namespace mha::bench {
namespace {

constexpr std::size_t kHead = 64;
constexpr std::size_t kPixels = 1600;

// One head given by Q, K and V as a row source.
class OneHead : public RowSource {
 public:
  OneHead(std::size_t n, std::size_t window, bool with_v)
      : q_(test::random_matrix(n, kHead, 1)), k_(test::random_matrix(n, kHead, 2)) {
    if (with_v) v_ = test::random_matrix(n, kHead, 3);
    rule_.mask.causal = true;
    if (window > 0) rule_.mask.window = window;
    infos_ = {{1, {n, n, false}, &rule_.mask}};
  }

  const std::vector<LayerInfo>& layers() const override { return infos_; }

  void stream(RowSink& sink, const StreamOptions& options) const override {
    const auto views = [](const Matrix& m) { return heads_in_columns(m.view(), kHead); };
    Matrix output;
    if (!v_.empty()) output = Matrix(v_.rows(), kHead);
    attend({0, infos_[0].shape, {1, 1, kHead, kHead}, &rule_, views(q_), views(k_), views(v_)},
           sink, output.view(), options);
    if (options.outputs != nullptr) options.outputs->push_back(std::move(output));
  }

  oracle::Result exact() const {
    return oracle::attend(
        {infos_[0].shape, {1, 1, kHead, kHead}, &rule_, q_.view(), k_.view(), v_.view()});
  }

 private:
  Matrix q_, k_, v_;
  AttentionRule rule_;
  std::vector<LayerInfo> infos_;
};

struct Outcome {
  CellMap map;
  double entropy = 0;
  std::vector<Matrix> outputs;
};

Outcome run(const OneHead& head, bool with_stats, std::size_t pool) {
  Analysis analysis(head, {{0, 0}});
  CellMapsAccumulator maps(analysis, {pool, 0, PoolKind::kMax});
  HeadStatsAccumulator stats(1);
  analysis.attach(&maps);
  if (with_stats) analysis.attach(&stats);
  Outcome outcome;
  StreamOptions options;
  options.outputs = &outcome.outputs;
  analysis.run(options);
  outcome.map = maps.take(0);
  if (with_stats) outcome.entropy = stats.stats(0).entropy.mean();
  return outcome;
}

void check(bool with_stats, bool with_window) {
  constexpr std::size_t n = 1200;
  const OneHead head(n, with_window ? n / 32 : 0, !with_stats);
  const Outcome got = run(head, with_stats, 3);
  const oracle::Result exact = head.exact();
  double entropy = 0;
  double worst = 0;
  for (std::size_t r = 0; r < n / 3; ++r) {
    for (std::size_t c = 0; c < n / 3; ++c) {
      double largest = 0;
      for (std::size_t i = 0; i < 9; ++i) {
        largest = std::max(largest, exact.weights[(3 * r + i / 3) * n + 3 * c + i % 3]);
      }
      worst =
          std::max(worst, std::fabs(largest - static_cast<double>(got.map.values[r * n / 3 + c])));
    }
  }
  for (double w : exact.weights) entropy -= w > 0 ? w * std::log(w) : 0;
  if (with_stats) worst = std::max(worst, std::fabs(entropy / n - got.entropy));
  if (worst < 5e-6) return;
  std::fprintf(stderr, "the result is off by %g\n", worst);
  std::exit(1);
}

// Rate of single-threaded sgemm calls on all cores at the shape of one tile, GFLOP/s.
double sgemm_rate() {
  constexpr std::size_t kRows = 256, kKeys = 512, kCalls = 400;
  const Matrix q = test::random_matrix(kRows, kHead, 1);
  const Matrix k = test::random_matrix(kKeys, kHead, 2);
  std::vector<Matrix> tiles(effective_threads(0), Matrix(kRows, kKeys));
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    times.push_back(seconds([&] {
      parallel_for(kCalls, 0, [&](std::size_t, std::size_t worker) {
        gemm_transposed_b(0.125F, q.view(), k.view(), 0.0F, tiles[worker].view());
      });
    }));
  }
  return 2.0 * kRows * kKeys * kHead * kCalls / median(times) * 1e-9;
}

}  // namespace
}  // namespace mha::bench

int main(int argc, char** argv) {
  using namespace mha::bench;
  const std::string mode = argc > 1 ? argv[1] : "pooled";
  const std::size_t n = argc > 2 ? std::stoul(argv[2]) : 131072;
  const bool with_stats = mode == "rows";
  const bool with_window = mode == "window";
  check(with_stats, with_window);
  const std::size_t window = with_window ? n / 32 : 0;
  const OneHead head(n, window, !with_stats);
  const double before = sgemm_rate();
  const double time = seconds([&] { run(head, with_stats, mha::ceil_div(n, kPixels)); });
  const double rate_of_sgemm = (before + sgemm_rate()) / 2;
  const auto length = static_cast<double>(n);
  const double cells = with_window ? length * length / 32 : length * length / 2;
  const double rate = cells * 2 * kHead * (with_stats ? 1 : 2) / time * 1e-9;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%s, n = %zu: %.1f s, %.1f GFLOP/s, sgemm %.1f GFLOP/s, ratio %.2f, peak %.0f MB\n",
              mode.c_str(), n, time, rate, rate_of_sgemm, rate / rate_of_sgemm,
              static_cast<double>(usage.ru_maxrss) * 1024e-6);
  return 0;
}
