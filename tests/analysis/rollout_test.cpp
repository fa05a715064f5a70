#include "mha/analysis/rollout.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "known_layers.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"

namespace mha {
namespace {

void check_near(const Matrix& got, const test::Rows& expected) {
  REQUIRE(got.rows() == expected.size());
  for (std::size_t i = 0; i < got.rows(); ++i) {
    for (std::size_t j = 0; j < got.cols(); ++j) {
      REQUIRE(std::fabs(static_cast<double>(got(i, j)) - expected[i][j]) < 1e-5);
    }
  }
}

void check_row_sums(const Matrix& rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double sum = 0;
    for (float value : rows.view().row(i)) sum += static_cast<double>(value);
    REQUIRE(std::fabs(sum - 1) < 1e-5);
  }
}

test::Rows product(const test::Rows& a, const test::Rows& b) {
  test::Rows out = test::zeros(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b.size(); ++j) out[i][j] += a[i][k] * b[k][j];
    }
  }
  return out;
}

// R_0, R_1, ... from the heads of each layer.
std::vector<test::Rows> direct_rollout(const std::vector<std::vector<test::Rows>>& layers) {
  std::vector<test::Rows> out{test::mixed(layers.front())};
  for (std::size_t l = 1; l < layers.size(); ++l) {
    out.push_back(product(test::mixed(layers[l]), out.back()));
  }
  return out;
}

// Above a dense limit of zero only chosen tokens are rolled out.
RolloutOptions streamed(std::vector<std::size_t> tokens, std::size_t n_threads = 0) {
  return {std::move(tokens), 0, n_threads};
}

void check_rollout(const RowSource& source, const std::vector<test::Rows>& expected) {
  const std::size_t n = expected.front().size();
  const Rollout dense = rollout(source, {});
  REQUIRE(dense.below.size() + 1 == expected.size());
  for (std::size_t l = 0; l + 1 < expected.size(); ++l) {
    check_near(dense.below[l], expected[l]);
    check_row_sums(dense.below[l]);
  }
  check_near(dense.last, expected.back());
  check_row_sums(dense.last);
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  CHECK(dense.tokens == all);
  const Rollout rows = rollout(source, streamed(all));
  check_near(rows.last, expected.back());
  check_row_sums(rows.last);
  CHECK(rows.below.empty());
  const Rollout chosen = rollout(source, {{n - 1, 2}, n, 1});
  check_near(chosen.last, {expected.back()[n - 1], expected.back()[2]});
  check_near(rollout(source, streamed({2})).last, {expected.back()[2]});
}

TEST_CASE("the rollout of two layers of two tokens is worked out by hand") {
  const auto source = test::known_layers(1, 2, {{1, 0, 0.5F, 0.5F}, {0, 1, 1, 0}});
  const Rollout got = rollout(source, {});
  // Abar_0 = [1 0; 1/4 3/4], Abar_1 = [1/2 1/2; 1/2 1/2].
  check_near(got.below.at(0), {{1, 0}, {0.25, 0.75}});
  check_near(got.last, {{0.625, 0.375}, {0.625, 0.375}});
}

TEST_CASE("the rollout of known layers is the product of their mixed weights") {
  std::vector<std::vector<float>> weights;
  std::vector<std::vector<test::Rows>> heads;
  for (unsigned l = 0; l < 4; ++l) {
    weights.push_back(test::random_weights(3, 6, l));
    heads.push_back(test::heads_of(weights.back(), 6));
  }
  check_rollout(test::known_layers(3, 6, weights), direct_rollout(heads));
}

TEST_CASE("the rollout of a stack is the product of its mixed weights") {
  for (const test::StackKind& kind : test::stack_kinds()) {
    if (kind.is_cross) continue;
    DYNAMIC_SECTION(kind.name) {
      const AttentionStack stack(test::stack_input(kind));
      std::vector<std::vector<test::Rows>> heads;
      for (const test::LayerTruth& layer : test::stack_truth(stack.input())) {
        heads.push_back(layer.a);
      }
      check_rollout(stack, direct_rollout(heads));
    }
  }
}

TEST_CASE("fully masked rows stay with their own token") {
  // Query 1 is masked in both heads, query 2 in one of them.
  const std::vector<float> weights{1, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                   1, 0, 0, 0, 0, 0, 1, 0, 0};
  const auto source = test::known_layers(2, 3, {weights, weights});
  const Rollout got = rollout(source, {});
  check_near(got.below.at(0), {{1, 0, 0}, {0, 1, 0}, {1.0 / 3, 0, 2.0 / 3}});
  check_row_sums(got.last);
  CHECK(got.last(1, 1) == 1);
  check_near(rollout(source, streamed({1, 2})).last, {{0, 1, 0}, {1.0 / 3 + 2.0 / 9, 0, 4.0 / 9}});
}

TEST_CASE("rollout has the same bits for every thread count") {
  AttentionStack::Input input = test::stack_input({"", 3, true, {4, 2, 3, 2}, false, true, true});
  input.x = test::random_matrix(600, 8, 5);
  const AttentionStack stack(std::move(input));
  CHECK(test::same_bits(rollout(stack, {{}, 600, 1}).last, rollout(stack, {{}, 600, 5}).last));
  const std::vector<std::size_t> tokens{599, 300, 0,  7,  8,  9,  10, 11, 12,
                                        13,  14,  15, 16, 17, 18, 19, 20, 21};
  const Matrix one = rollout(stack, streamed(tokens, 1)).last;
  CHECK(test::same_bits(one, rollout(stack, streamed(tokens, 5)).last));
  check_row_sums(one);
  const Matrix dense = rollout(stack, {tokens, 600, 2}).last;
  for (std::size_t i = 0; i < one.rows() * one.cols(); ++i) {
    REQUIRE(std::fabs(one.data()[i] - dense.data()[i]) < 1e-6F);
  }
}

TEST_CASE("rollout refuses what it cannot follow through the layers") {
  const AttentionStack cross(test::stack_input({"", 1, false, {4, 2, 3, 2}, true, true, false}));
  CHECK(test::error_of([&] { rollout(cross, {}); }) ==
        "layer 0 is cross-attention: its keys are not the tokens of the layer below");
  std::vector<PrecomputedLayer> layers(2);
  for (std::size_t l = 0; l < 2; ++l) {
    layers[l].n_heads = 1;
    layers[l].shape = {l + 1, l + 1, false};
    layers[l].weights = FloatStorage(l == 0 ? FloatVector{1} : FloatVector{1, 0, 1, 0});
  }
  const PrecomputedAttention uneven(std::move(layers));
  CHECK(test::error_of([&] { rollout(uneven, {}); }) ==
        "layer 1 does not join the tokens of one layer to the same tokens of the next; expected "
        "1x1 weights, got 2x2");
  constexpr float kNotFinite = std::numeric_limits<float>::quiet_NaN();
  const auto broken = test::known_layers(1, 2, {{1, 0, 0, 1}, {1, 0, kNotFinite, kNotFinite}});
  const std::string not_finite =
      "layer 1 query 1: weights that are not finite cannot be followed through the layers";
  CHECK(test::error_of([&] { rollout(broken, {}); }) == not_finite);
  CHECK(test::error_of([&] { rollout(broken, streamed({0})); }) == not_finite);
  const auto fine = test::known_layers(1, 2, {{1, 0, 0, 1}});
  CHECK(test::error_of([&] { rollout(fine, streamed({})); }) ==
        "the rollout of all tokens is for at most 0 tokens, got 2\n"
        "hint: choose the tokens to roll out");
  CHECK(test::error_of([&] { rollout(fine, {{2}}); }) == "there is no token 2; expected 0 to 1");
}

}  // namespace
}  // namespace mha
