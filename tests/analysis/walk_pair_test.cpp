// The numbers of one token pair, against the matrices that they come from.
#include "mha/analysis/walk_pair.hpp"

#include <cmath>
#include <limits>

#include "stacks.hpp"
#include "support/catch.hpp"
#include "support/collect.hpp"

namespace mha {
namespace {

LayerInput small_input() {
  LayerInput input;
  input.layer.layout = {2, 2, 4, 3};
  input.x = test::random_matrix(5, 6, 1);
  input.residual = true;
  input.layer.weights.qkv = {test::random_matrix(6, 22, 2, 0.5F), {}};
  input.layer.weights.o = {test::random_matrix(6, 6, 3, 0.5F), test::random_values(6, 4)};
  return input;
}

const Matrix& step_values(const Walkthrough& walk, StepKind kind) {
  return walk.find(kind)->values;
}

TEST_CASE("the arithmetic of a pair leads from q.k to the output of the layer") {
  const Walkthrough walk = LayerWalk(small_input()).head(1);
  const PairNumbers numbers = pair_numbers(walk, {3, 1});
  REQUIRE(numbers.dot);
  double dot = 0;
  for (std::size_t c = 0; c < 4; ++c) {
    dot += static_cast<double>(step_values(walk, StepKind::kQueries)(3, c)) *
           static_cast<double>(step_values(walk, StepKind::kKeys)(1, c));
  }
  CHECK(numbers.dot->total == Approx(dot));
  REQUIRE(numbers.scores.size() == 2);
  CHECK(numbers.scores[0].second == Approx(dot).epsilon(1e-5));
  CHECK(numbers.scores[1].second == Approx(dot / 2).epsilon(1e-5));
  CHECK(numbers.exponential / numbers.row_sum == Approx(numbers.weight).epsilon(1e-5));
  CHECK(numbers.exponential ==
        Approx(std::exp(numbers.scores[1].second - numbers.row_maximum)).epsilon(1e-5));
  REQUIRE(numbers.head);
  CHECK(
      numbers.head->sum.total ==
      Approx(static_cast<double>(step_values(walk, StepKind::kHeadOutput)(3, numbers.head->column)))
          .epsilon(1e-5));
  REQUIRE(numbers.output);
  const std::size_t column = numbers.output->column;
  CHECK(numbers.output->total ==
        Approx(static_cast<double>(step_values(walk, StepKind::kOutput)(3, column))).epsilon(1e-5));
  CHECK(numbers.output->from_head + numbers.output->from_others + numbers.output->bias ==
        Approx(numbers.output->total));
  REQUIRE(numbers.output->input);
  CHECK(
      *numbers.output->input + numbers.output->total ==
      Approx(static_cast<double>(step_values(walk, StepKind::kResidual)(3, column))).epsilon(1e-5));
}

TEST_CASE("the largest terms come first, and there are at most three") {
  const PairNumbers numbers = pair_numbers(LayerWalk(small_input()).head(0), {2, 4});
  REQUIRE(numbers.dot);
  CHECK(numbers.dot->n_terms == 4);
  REQUIRE(numbers.dot->largest.size() == 3);
  for (std::size_t t = 1; t < 3; ++t) {
    CHECK(std::fabs(numbers.dot->largest[t - 1].product()) >=
          std::fabs(numbers.dot->largest[t].product()));
  }
}

TEST_CASE("a number that is none comes first among the terms, since it decides the sum") {
  LayerInput input = small_input();
  input.x(2, 0) = std::numeric_limits<float>::quiet_NaN();
  const PairNumbers numbers = pair_numbers(LayerWalk(input).head(0), {2, 4});
  REQUIRE(numbers.dot);
  CHECK(std::isnan(numbers.dot->largest[0].product()));
  CHECK(std::isnan(numbers.dot->total));
  CHECK(std::isnan(numbers.weight));
}

TEST_CASE("a hidden pair names the part of the rule that hides it") {
  const auto part_of = [](const MaskRule& mask, TokenPair pair) {
    LayerInput input = small_input();
    input.layer.rule.mask = mask;
    const PairNumbers numbers = pair_numbers(LayerWalk(input).head(0), pair);
    CHECK((numbers.weight == 0) == (numbers.masked_by != MaskPart::kNone));
    CHECK((numbers.exponential == 0) == (numbers.masked_by != MaskPart::kNone));
    return numbers.masked_by;
  };
  MaskRule causal;
  causal.causal = true;
  CHECK(part_of(causal, {1, 3}) == MaskPart::kCausal);
  CHECK(part_of(causal, {3, 1}) == MaskPart::kNone);
  MaskRule window;
  window.window = 2;
  CHECK(part_of(window, {4, 1}) == MaskPart::kWindow);
  CHECK(part_of(window, {1, 2}) == MaskPart::kNone);
  MaskRule padding;
  padding.valid_keys = {1, 0, 1, 1, 1};
  CHECK(part_of(padding, {4, 1}) == MaskPart::kValidKeys);
  MaskRule explicit_mask;
  explicit_mask.mask.assign(25, 1);
  explicit_mask.mask[4 * 5 + 1] = 0;
  CHECK(part_of(explicit_mask, {4, 1}) == MaskPart::kMask);
}

// Weights by way of known scores: exp() of them, row by row.
Walkthrough walk_of(FloatVector scores, std::size_t n) {
  const ScoreLayer layer{1, {n, n, false}, FloatStorage(std::move(scores)), {}};
  return LayerWalk(layer).head(0);
}

TEST_CASE("the telling pair is the largest weight off the diagonal and off dull tokens") {
  const Walkthrough walk = walk_of({9, 2, 0,   //
                                    0, 9, 1,   //
                                    5, 0, 5},  //
                                   3);
  CHECK(telling_pair(walk, {}) == TokenPair{2, 0});
  CHECK(telling_pair(walk, {{}, {true, false, false}}) == TokenPair{2, 0});  // nothing else tells
  CHECK(telling_pair(walk_of({1, 2, 0, 0, 9, 1, 5, 0, 5}, 3), {{}, {true, false, false}}) ==
        TokenPair{0, 1});
  CHECK(telling_pair(walk_of({7}, 1), {}) == TokenPair{0, 0});
}

}  // namespace
}  // namespace mha
