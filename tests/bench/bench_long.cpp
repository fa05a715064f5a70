// Long causal heads: what a pass over n x n/2 cells costs beside sgemm alone, and its peak
// memory.
//
//   bench_long pooled [n]   Q, K, V; pooled map and output, no whole rows
//   bench_long rows [n]     Q, K; pooled map and all row statistics
//   bench_long window [n]   as pooled, with a window of n / 32, and beside it without the window
//   bench_long heads [n]    as rows, for 12 heads, n = 16,384
//
// The result at a smaller n is checked against the oracle before anything is timed.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>

#include "mha/analysis/cell_maps.hpp"
#include "mha/analysis/head_scores.hpp"
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

struct Mode {
  std::string name;
  bool with_stats = false;  // from Q and K alone; else pooling and output from Q, K and V
  bool with_window = false;
  std::size_t n_heads = 1;
};

// Heads given by Q, K and V as a row source.
class Heads : public RowSource {
 public:
  Heads(std::size_t n, const Mode& mode)
      : q_(test::random_matrix(n, mode.n_heads * kHead, 1)),
        k_(test::random_matrix(n, mode.n_heads * kHead, 2)),
        layout_{mode.n_heads, mode.n_heads, kHead, kHead} {
    if (!mode.with_stats) v_ = test::random_matrix(n, mode.n_heads * kHead, 3);
    rule_.mask.causal = true;
    if (mode.with_window) rule_.mask.window = n / 32;
    infos_ = {{mode.n_heads, {n, n, false}, &rule_.mask}};
  }

  const std::vector<LayerInfo>& layers() const override { return infos_; }

  void stream(RowSink& sink, const StreamOptions& options) const override {
    const auto views = [](const Matrix& m) { return heads_in_columns(m.view(), kHead); };
    Matrix output;
    if (!v_.empty()) output = Matrix(v_.rows(), v_.cols());
    attend({0, infos_[0].shape, layout_, &rule_, views(q_), views(k_), views(v_)}, sink,
           output.view(), options);
    if (options.outputs != nullptr) options.outputs->push_back(std::move(output));
  }

  oracle::Result exact() const {
    return oracle::attend({infos_[0].shape, layout_, &rule_, q_.view(), k_.view(), v_.view()});
  }

 private:
  Matrix q_, k_, v_;
  HeadLayout layout_;
  AttentionRule rule_;
  std::vector<LayerInfo> infos_;
};

struct Outcome {
  CellMap map;
  double entropy = 0;
  std::vector<Matrix> outputs;
};

// The map and the statistics are those of the last head.
Outcome run(const Heads& heads, const Mode& mode, std::size_t pool) {
  std::vector<HeadSlot> slots;
  for (std::size_t h = 0; h < mode.n_heads; ++h) slots.push_back({0, h});
  Analysis analysis(heads, slots);
  CellMapsAccumulator maps(analysis, {pool, 0, PoolKind::kMax});
  HeadScoresAccumulator stats(slots.size());
  analysis.attach(&maps);
  if (mode.with_stats) analysis.attach(&stats);
  Outcome outcome;
  StreamOptions options;
  options.outputs = &outcome.outputs;
  analysis.run(options);
  outcome.map = maps.take(slots.size() - 1);
  if (mode.with_stats) outcome.entropy = stats.scores(slots.size() - 1)[MeanScore::kEntropy].mean();
  return outcome;
}

void check(const Mode& mode) {
  constexpr std::size_t n = 1200;
  const Heads heads(n, mode);
  const Outcome got = run(heads, mode, 3);
  const oracle::Result exact = heads.exact();
  const double* last = exact.weights.data() + (mode.n_heads - 1) * n * n;
  double entropy = 0;
  double worst = 0;
  for (std::size_t r = 0; r < n / 3; ++r) {
    for (std::size_t c = 0; c < n / 3; ++c) {
      double largest = 0;
      for (std::size_t i = 0; i < 9; ++i) {
        largest = std::max(largest, last[(3 * r + i / 3) * n + 3 * c + i % 3]);
      }
      worst =
          std::max(worst, std::fabs(largest - static_cast<double>(got.map.values[r * n / 3 + c])));
    }
  }
  for (std::size_t i = 0; i < n * n; ++i) entropy -= last[i] > 0 ? last[i] * std::log(last[i]) : 0;
  if (mode.with_stats) worst = std::max(worst, std::fabs(entropy / n - got.entropy));
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

// What the window costs of the whole triangle, in turns: the triangle between two rounds of it.
void compare_with_triangle(const Heads& window, std::size_t n, const Mode& mode) {
  const Mode whole{"pooled"};
  const Heads triangle(n, whole);
  const std::size_t pool = ceil_div(n, kPixels);
  std::vector<double> times;
  std::vector<double> processor;
  const auto time_window = [&] {
    for (int i = 0; i < 3; ++i) {
      times.push_back(seconds(
          [&] { processor.push_back(processor_seconds([&] { run(window, mode, pool); })); }));
    }
  };
  double whole_processor = 0;
  time_window();
  const double whole_time =
      seconds([&] { whole_processor = processor_seconds([&] { run(triangle, whole, pool); }); });
  time_window();
  std::printf(
      "the whole triangle: %.1f s; the window costs 1/%.1f of it, 1/%.1f in processor time\n",
      whole_time, whole_time / median(times), whole_processor / median(processor));
}

}  // namespace
}  // namespace mha::bench

int main(int argc, char** argv) {
  using namespace mha::bench;
  Mode mode{argc > 1 ? argv[1] : "pooled"};
  const bool several = mode.name == "heads";
  mode.with_stats = mode.name == "rows" || several;
  mode.with_window = mode.name == "window";
  mode.n_heads = several ? 12 : 1;
  const std::size_t n = argc > 2 ? std::stoul(argv[2]) : several ? 16384 : 131072;
  check(mode);
  const Heads heads(n, mode);
  const double before = sgemm_rate();
  const double time = seconds([&] { run(heads, mode, mha::ceil_div(n, kPixels)); });
  const double rate_of_sgemm = (before + sgemm_rate()) / 2;
  const auto length = static_cast<double>(n);
  const double cells =
      static_cast<double>(mode.n_heads) * length * length / (mode.with_window ? 32 : 2);
  const double rate = cells * 2 * kHead * (mode.with_stats ? 1 : 2) / time * 1e-9;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%s, n = %zu: %.1f s, %.1f GFLOP/s, sgemm %.1f GFLOP/s, ratio %.2f, peak %.0f MB\n",
              mode.name.c_str(), n, time, rate, rate_of_sgemm, rate / rate_of_sgemm,
              static_cast<double>(usage.ru_maxrss) * 1024e-6);
  if (mode.with_window) compare_with_triangle(heads, n, mode);
  return 0;
}
