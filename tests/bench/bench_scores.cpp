// What scoring costs beside the attention that it rides on: 12 heads of 64 dimensions from Q, K and
// V, with and without every score of every head, in processor time.
//
//   bench_scores [n]   n = 512, 1024 and 2048 without it
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mha/analysis/head_scores.hpp"
#include "mha/attention/attend.hpp"

#include "bench/bench.hpp"
#include "support/collect.hpp"
#include "support/oracle.hpp"

namespace mha::bench {
namespace {

constexpr std::size_t kHead = 64;
constexpr std::size_t kHeads = 12;

class Heads : public RowSource {
 public:
  Heads(std::size_t n, bool causal)
      : q_(test::random_matrix(n, kHeads * kHead, 1)),
        k_(test::random_matrix(n, kHeads * kHead, 2)),
        v_(test::random_matrix(n, kHeads * kHead, 3)) {
    rule_.mask.causal = causal;
    infos_ = {{kHeads, {n, n, false}, &rule_.mask}};
  }

  const std::vector<LayerInfo>& layers() const override { return infos_; }

  void stream(RowSink& sink, const StreamOptions& options) const override {
    const auto views = [](const Matrix& m) { return heads_in_columns(m.view(), kHead); };
    Matrix output(v_.rows(), v_.cols());
    attend({0, infos_[0].shape, layout_, &rule_, views(q_), views(k_), views(v_)}, sink,
           output.view(), options);
  }

  oracle::Result exact() const {
    return oracle::attend({infos_[0].shape, layout_, &rule_, q_.view(), k_.view(), v_.view()});
  }

 private:
  Matrix q_, k_, v_;
  const HeadLayout layout_{kHeads, kHeads, kHead, kHead};
  AttentionRule rule_;
  std::vector<LayerInfo> infos_;
};

// Tokens as text has them: few are frequent, many are rare; some special, some punctuation.
TokenTraits make_traits(std::size_t n) {
  TokenTraits::Input input;
  input.n_query = n;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t word = i % 3 == 0 ? i % 10 : i * 2654435761U % 5000;
    input.key_tokens.push_back(std::to_string(word));
    input.is_special.push_back(i == 0 || i + 1 == n ? 1 : 0);
    input.is_punctuation.push_back(i % 12 == 11 ? 1 : 0);
  }
  return TokenTraits(input);
}

std::vector<HeadSlot> all_slots() {
  std::vector<HeadSlot> slots;
  for (std::size_t h = 0; h < kHeads; ++h) slots.push_back({0, h});
  return slots;
}

// Something that looks at no row, so that the rows are made all the same.
class Nobody : public Accumulator {
 public:
  void add(std::size_t, const RowBlock&) override {}
};

double attention_alone(const Heads& heads) {
  Nobody nobody;
  return processor_seconds([&] {
    Analysis analysis(heads, all_slots());
    analysis.attach(&nobody);
    analysis.run({});
  });
}

double with_scores(const Heads& heads, const TokenTraits& traits) {
  return processor_seconds([&] {
    Analysis analysis(heads, all_slots());
    HeadScoresAccumulator scores(kHeads, &traits);
    analysis.attach(&scores);
    analysis.run({});
  });
}

void check() {
  constexpr std::size_t n = 300;
  const Heads heads(n, false);
  const TokenTraits traits = make_traits(n);
  Analysis analysis(heads, all_slots());
  HeadScoresAccumulator scores(kHeads, &traits);
  analysis.attach(&scores);
  analysis.run({});
  const oracle::Result exact = heads.exact();
  double previous = 0;
  double entropy = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) previous += exact.weights[i * n + i - 1] / (n - 1);
    for (std::size_t j = 0; j < n; ++j) {
      const double w = exact.weights[i * n + j];
      entropy -= w > 0 ? w * std::log(w) / n : 0;
    }
  }
  const HeadScores& got = scores.scores(0);
  const double worst = std::max(std::fabs(got[MeanScore::kPrevious].mean() - previous),
                                std::fabs(got[MeanScore::kEntropy].mean() - entropy));
  if (worst < 1e-5) return;
  std::fprintf(stderr, "the scores are off by %g\n", worst);
  std::exit(1);
}

void measure(std::size_t n, bool causal) {
  const Heads heads(n, causal);
  const TokenTraits traits = make_traits(n);
  std::vector<double> alone;
  std::vector<double> scored;
  for (int i = 0; i < 15; ++i) {
    alone.push_back(attention_alone(heads));
    scored.push_back(with_scores(heads, traits));
  }
  const double base = median(alone);
  const double more = median(scored) - base;
  std::printf("n = %4zu, %-7s attention %7.2f ms, scores %7.2f ms more: %.2f of the attention\n", n,
              causal ? "causal," : "full,", base * 1e3, more * 1e3, more / base);
}

}  // namespace
}  // namespace mha::bench

int main(int argc, char** argv) {
  using namespace mha::bench;
  check();
  const std::vector<std::size_t> sizes = argc > 1 ? std::vector<std::size_t>{std::stoul(argv[1])}
                                                  : std::vector<std::size_t>{512, 1024, 2048};
  for (std::size_t n : sizes) {
    measure(n, false);
    measure(n, true);
  }
  return 0;
}
