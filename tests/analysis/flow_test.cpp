#include "mha/analysis/flow.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "known_layers.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"

namespace mha {
namespace {

// The smallest capacity of a cut between a token of the last layer and an input token, over all
// sets of nodes on the source's side (max-flow min-cut theorem).
double smallest_cut(const std::vector<test::Rows>& abar, std::size_t token, std::size_t key) {
  const std::size_t n = abar.front().size();
  const std::size_t n_nodes = (abar.size() + 1) * n;
  const std::size_t source = abar.size() * n + token;
  double smallest = 2;
  for (std::size_t set = 0; set < std::size_t{1} << n_nodes; ++set) {
    const auto has = [set](std::size_t node) { return (set >> node & 1) != 0; };
    if (!has(source) || has(key)) continue;
    double cut = 0;
    for (std::size_t l = 0; l < abar.size(); ++l) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          if (has((l + 1) * n + i) && !has(l * n + j)) cut += abar[l][i][j];
        }
      }
    }
    smallest = std::min(smallest, cut);
  }
  return smallest;
}

std::vector<std::size_t> all_tokens(std::size_t n) {
  std::vector<std::size_t> out(n);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

TEST_CASE("attention flow is the smallest cut") {
  struct Size {
    std::size_t n_layers, n, n_heads;
  };
  unsigned seed = 0;
  for (const Size& size : {Size{1, 3, 2}, Size{2, 3, 1}, Size{2, 4, 2}, Size{3, 3, 2}}) {
    std::vector<std::vector<float>> weights;
    std::vector<test::Rows> abar;
    for (std::size_t l = 0; l < size.n_layers; ++l) {
      weights.push_back(test::random_weights(size.n_heads, size.n, ++seed));
      abar.push_back(test::mixed(test::heads_of(weights.back(), size.n)));
    }
    const auto source = test::known_layers(size.n_heads, size.n, weights);
    const Flow flow = attention_flow(source, {all_tokens(size.n)});
    for (std::size_t t = 0; t < size.n; ++t) {
      double sum = 0;
      for (std::size_t j = 0; j < size.n; ++j) {
        const double cut = smallest_cut(abar, t, j);
        REQUIRE(std::fabs(static_cast<double>(flow.raw(t, j)) - cut) < 1e-6);
        REQUIRE(flow.raw(t, j) <= 1.0F + 1e-6F);
        sum += static_cast<double>(flow.normalised(t, j));
      }
      REQUIRE(std::fabs(sum - 1) < 1e-6);
    }
  }
}

TEST_CASE("the flow of one layer is its mixed weights") {
  const AttentionStack stack(test::stack_input({"", 1, false, {4, 2, 3, 2}, false, true, true}));
  const test::Rows abar = test::mixed(test::stack_truth(stack.input())[0].a);
  const Flow flow = attention_flow(stack, {{6, 0, 3}});
  const std::size_t tokens[] = {6, 0, 3};
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t j = 0; j < 7; ++j) {
      CHECK(std::fabs(static_cast<double>(flow.raw(t, j)) - abar[tokens[t]][j]) < 1e-6);
      CHECK(std::fabs(static_cast<double>(flow.normalised(t, j)) - abar[tokens[t]][j]) < 1e-6);
    }
  }
}

TEST_CASE("the flow through two layers of two tokens is worked out by hand") {
  // Abar_0 = [1 0; 1/4 3/4], Abar_1 = [1/2 1/2; 1/2 1/2]: half of a token goes through token 0,
  // which is all of token 0 below; of the half through token 1 a quarter may go to token 0.
  const auto source = test::known_layers(1, 2, {{1, 0, 0.5F, 0.5F}, {0, 1, 1, 0}});
  const Flow flow = attention_flow(source, {{1}});
  CHECK(flow.raw(0, 0) == 0.75F);
  CHECK(flow.raw(0, 1) == 0.5F);
  CHECK(flow.normalised(0, 0) == Approx(0.6));
}

TEST_CASE("a masked row flows down to its own token alone") {
  const auto source = test::known_layers(1, 2, {{0, 0, 1, 0}, {0, 0, 1, 0}});
  const Flow flow = attention_flow(source, {{0}});
  CHECK(flow.raw(0, 0) == 1);
  CHECK(flow.raw(0, 1) == 0);
}

TEST_CASE("flow has the same bits for every thread count") {
  AttentionStack::Input input = test::stack_input({"", 3, true, {4, 2, 3, 2}, false, true, false});
  input.x = test::random_matrix(40, 8, 5);
  const AttentionStack stack(std::move(input));
  FlowOptions options{{39, 5}, 5000, 1};
  const Flow one = attention_flow(stack, options);
  options.n_threads = 4;
  CHECK(test::same_bits(one.raw, attention_flow(stack, options).raw));
  for (std::size_t i = 0; i < 80; ++i) CHECK(one.raw.data()[i] <= 1.0F + 1e-6F);
}

TEST_CASE("flow through too many cells is refused with their number") {
  const auto source = test::known_layers(1, 2, {{1, 0, 0, 1}, {1, 0, 0, 1}});
  CHECK(test::error_of([&] {
          attention_flow(source, {{0}, 7});
        }) ==
        "attention flow is for at most 7 cells in all layers, got 2x2x2 = 8\n"
        "hint: use a shorter input, or the rollout");
  CHECK(test::error_of([&] { attention_flow(source, {{2}}); }) ==
        "there is no token 2; expected 0 to 1");
  const AttentionStack cross(test::stack_input({"", 1, false, {4, 2, 3, 2}, true, true, false}));
  CHECK(test::error_of([&] { attention_flow(cross, {{0}}); }) ==
        "layer 0 is cross-attention: its keys are not the tokens of the layer below");
}

}  // namespace
}  // namespace mha
