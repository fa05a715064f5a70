#include "mha/analysis/dense_weights.hpp"

#include <algorithm>
#include <limits>

#include "stacks.hpp"
#include "support/catch.hpp"

namespace mha {
namespace {

// All heads of all layers.
std::vector<HeadSlot> all_slots(const RowSource& source) {
  std::vector<HeadSlot> slots;
  for (std::size_t l = 0; l < source.layers().size(); ++l) {
    for (std::size_t h = 0; h < source.layers()[l].n_heads; ++h) slots.push_back({l, h});
  }
  return slots;
}

bool same_values(ConstMatrix a, ConstMatrix b) {
  for (std::size_t i = 0; i < a.rows; ++i) {
    if (!std::ranges::equal(a.row(i), b.row(i))) return false;
  }
  return a.rows == b.rows && a.cols == b.cols;
}

TEST_CASE("heads of later layers use the memory of released heads, those of the same layer never") {
  const AttentionStack stack(test::stack_input({"", 3, false, {4, 2, 3, 2}, false, true, false}));
  Analysis analysis(stack, all_slots(stack));
  DenseWeights dense(analysis);
  std::vector<const float*> places(analysis.slots().size());
  dense.when_complete([&](std::size_t slot) {
    places[slot] = dense.head(slot).data;
    dense.release(slot);
  });
  analysis.attach(&dense);
  StreamOptions options;
  options.n_threads = 1;
  analysis.run(options);
  const auto begin = places.begin();
  for (std::ptrdiff_t l = 0; l < 3; ++l) {
    for (std::ptrdiff_t h = 0; h < 4; ++h) {
      CHECK(std::count(begin + 4 * l, begin + 4 * l + 4, begin[4 * l + h]) == 1);
      CHECK((l == 0 || std::count(begin, begin + 4, begin[4 * l + h]) == 1));
    }
  }
}

// The engine multiplies the rows with V after it has handed them over.
TEST_CASE("a released head whose layer goes on is not overwritten by the next of that layer") {
  for (const test::StackKind& kind : test::stack_kinds()) {
    DYNAMIC_SECTION(kind.name) {
      const AttentionStack stack(test::stack_input(kind));
      std::vector<Matrix> expected;
      StreamOptions options;
      options.n_threads = 1;
      options.outputs = &expected;
      NoRows unheard;
      stack.stream(unheard, options);

      Analysis analysis(stack, all_slots(stack));
      DenseWeights dense(analysis);
      dense.when_complete([&](std::size_t slot) {
        const ConstMatrix head = dense.head(slot);
        dense.release(slot);
        const std::size_t next = slot + 1;
        if (next == analysis.slots().size()) return;
        if (analysis.slots()[next].layer != analysis.slots()[slot].layer) return;
        const MatrixView place = *dense.place_for(next, 0, head.rows);
        for (std::size_t i = 0; i < place.rows; ++i) {
          std::ranges::fill(place.row(i), std::numeric_limits<float>::quiet_NaN());
        }
      });
      analysis.attach(&dense);
      std::vector<Matrix> outputs;
      options.outputs = &outputs;
      analysis.run(options);
      REQUIRE(outputs.size() == expected.size());
      for (std::size_t l = 0; l < outputs.size(); ++l) {
        CHECK(same_values(outputs[l].view(), expected[l].view()));
      }
    }
  }
}

}  // namespace
}  // namespace mha
