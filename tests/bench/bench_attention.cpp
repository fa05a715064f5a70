// The attention and the projection stage beside OpenBLAS's own sgemm at the same shapes: single-
// threaded calls on all cores, in the same run. Results are checked against the double-precision
// oracle before anything is timed.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "mha/analysis/accumulator.hpp"
#include "mha/analysis/dense_weights.hpp"
#include "mha/attention/attend.hpp"
#include "mha/attention/row_kernels.hpp"
#include "mha/base/parallel.hpp"
#include "mha/tensor/gemm.hpp"

#include "bench/bench.hpp"
#include "support/collect.hpp"
#include "support/oracle.hpp"

namespace mha::bench {
namespace {

constexpr std::size_t kTokens = 512;
constexpr std::size_t kModel = 768;
constexpr std::size_t kHeads = 12;
constexpr std::size_t kHead = kModel / kHeads;
constexpr int kRounds = 41;

// Keeps the weights of all heads of one layer.
class Keep : public RowSink {
 public:
  Keep() : data_(kHeads * kTokens * kTokens) {}
  void add(const RowBlock&) override {}
  std::optional<MatrixView> place_for(std::size_t, std::size_t head, std::size_t first,
                                      std::size_t rows) override {
    return MatrixView{data_.data() + (head * kTokens + first) * kTokens, rows, kTokens, kTokens};
  }
  const float* data() const { return data_.data(); }

 private:
  FloatVector data_;
};

void check(double difference, double limit, const char* what) {
  if (difference <= limit) return;
  std::fprintf(stderr, "%s is off by %g\n", what, difference);
  std::exit(1);
}

void print(const char* name, double flops, const Pair& pair) {
  std::printf("%-34s %7.2f ms  %7.1f GFLOP/s   sgemm %7.2f ms  %7.1f GFLOP/s   ratio %.3f\n", name,
              pair.ours * 1e3, flops / pair.ours * 1e-9, pair.reference * 1e3,
              flops / pair.reference * 1e-9, pair.ratio);
}

void bench_attention() {
  const AttentionShape shape{kTokens, kTokens, false};
  const HeadLayout layout{kHeads, kHeads, kHead, kHead};
  const AttentionRule rule;
  const Matrix qkv = test::random_matrix(kTokens, 3 * kModel, 1);
  const AttentionProblem problem{0,
                                 shape,
                                 layout,
                                 &rule,
                                 heads_in_columns(qkv.view().col_range(0, kModel), kHead),
                                 heads_in_columns(qkv.view().col_range(kModel, kModel), kHead),
                                 heads_in_columns(qkv.view().col_range(2 * kModel, kModel), kHead)};
  Keep keep;
  Matrix concat(kTokens, kModel);
  attend(problem, keep, concat.view(), {});
  const oracle::Result exact = oracle::attend(
      {shape, layout, &rule, qkv.view().col_range(0, kModel), qkv.view().col_range(kModel, kModel),
       qkv.view().col_range(2 * kModel, kModel)});
  double worst = 0;
  for (std::size_t i = 0; i < exact.weights.size(); ++i) {
    worst = std::max(worst, std::fabs(exact.weights[i] - static_cast<double>(keep.data()[i])));
  }
  check(worst, 2e-6, "the attention");

  // The same two products of each head, whole, with nothing in between.
  FloatVector scores(kHeads * kTokens * kTokens);
  const auto reference = [&] {
    parallel_for(kHeads, 0, [&](std::size_t h, std::size_t) {
      const MatrixView s{scores.data() + h * kTokens * kTokens, kTokens, kTokens, kTokens};
      gemm_transposed_b(0.125F, problem.q.head(h), problem.k.head(h), 0.0F, s);
      gemm(1.0F, s, problem.v.head(h), 0.0F, concat.view().col_range(h * kHead, kHead));
    });
  };
  const double flops = 4.0 * kHeads * kTokens * kTokens * kHead;
  print("attention, weights kept", flops,
        compare(
            kRounds, [&] { attend(problem, keep, concat.view(), {}); }, reference));
}

void bench_projection() {
  const Matrix x = test::random_matrix(kTokens, kModel, 3);
  const Matrix w = test::random_matrix(kModel, 3 * kModel, 4);
  Matrix y(kTokens, 3 * kModel);
  Matrix z(kTokens, 3 * kModel);
  const auto ours = [&] { parallel_gemm(x.view(), w.view(), {}, y.view(), 0); };
  // One single-threaded call a core, on equal halves (thirds, ...) of the columns.
  const std::size_t n_cores = effective_threads(0);
  const auto reference = [&] {
    parallel_for(n_cores, 0, [&](std::size_t c, std::size_t) {
      const std::size_t begin = 3 * kModel * c / n_cores;
      const std::size_t width = 3 * kModel * (c + 1) / n_cores - begin;
      gemm(1.0F, x.view(), w.view().col_range(begin, width), 0.0F,
           z.view().col_range(begin, width));
    });
  };
  ours();
  reference();
  double worst = 0;
  for (std::size_t i = 0; i < kTokens; i += 37) {
    for (std::size_t j = 0; j < 3 * kModel; j += 41) {
      double exact = 0;
      for (std::size_t c = 0; c < kModel; ++c) {
        exact += static_cast<double>(x(i, c)) * static_cast<double>(w(c, j));
      }
      worst = std::max(worst, std::fabs(exact - static_cast<double>(y(i, j))));
    }
  }
  check(worst, 1e-3, "the projection");
  const double flops = 2.0 * kTokens * kModel * 3 * kModel;
  print("projection to Q, K, V", flops, compare(kRounds, ours, reference));
}

void bench_softmax() {
  const Matrix scores = test::random_matrix(kTokens, kTokens, 5, 3);
  for (const RowKernels& kernel : all_row_kernels()) {
    Matrix rows = scores;
    std::vector<double> times;
    for (int i = 0; i < kRounds; ++i) {
      rows = scores;
      times.push_back(seconds([&] {
        for (std::size_t r = 0; r < kTokens; ++r) {
          kernel.softmax_row(rows.data() + r * kTokens, kTokens);
        }
      }));
    }
    const double time = median(times);
    std::printf("softmax 512x512, %-17s %7.3f ms  %7.2f ns a weight\n",
                std::string(kernel.name).c_str(), time * 1e3, time * 1e9 / kTokens / kTokens);
  }
}

}  // namespace
}  // namespace mha::bench

int main() {
  std::printf("%zu cores, n = 512, d_model = 768, 12 heads; medians of 41 rounds in turns\n",
              mha::effective_threads(0));
  mha::bench::bench_attention();
  mha::bench::bench_projection();
  mha::bench::bench_softmax();
  return 0;
}
