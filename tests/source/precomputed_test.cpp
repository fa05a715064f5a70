// Documents that bring their attention weights.
#include <cmath>

#include "support/documents.hpp"

namespace mha {
namespace {

using test::open_text;
using test::weights_of;
using Names = std::vector<std::string>;

const std::string kTwoByTwo = R"({"attention_weights": [[[[1,0],[0.25,0.75]]]])";

TEST_CASE("weights are passed on as they are") {
  const OpenedInput input = open_text(kTwoByTwo + R"(, "tokens": ["a", "b"]})");
  CHECK(weights_of(input) == std::vector<float>{1, 0, 0.25F, 0.75F});
  CHECK(input.tokens == Names{"a", "b"});
  CHECK(input.key_tokens == Names{"a", "b"});
  CHECK_FALSE(input.is_cross);
  CHECK(input.stack == nullptr);
  CHECK(input.head_names[0][0].text() == "L0H0");
}

TEST_CASE("layers may have different numbers of heads") {
  const OpenedInput input =
      open_text(R"({"attention_weights": [[[[1]]], [[[1]],[[1]],[[1]]], [[[1]],[[1]]]]})");
  REQUIRE(input.rows->layers().size() == 3);
  CHECK(input.rows->layers()[0].n_heads == 1);
  CHECK(input.rows->layers()[1].n_heads == 3);
  CHECK(input.rows->layers()[2].n_heads == 2);
  CHECK(input.head_names[1][2].text() == "L1H2");
}

TEST_CASE("key tokens and a context label the keys") {
  const std::string wide = R"({"attention_weights": [[[[1,0,0],[0,0.5,0.5]]]], )";
  const OpenedInput keys =
      open_text(wide + R"("tokens": ["p", "q"], "key_tokens": ["a", "b", "c"]})");
  CHECK(keys.tokens == Names{"p", "q"});
  CHECK(keys.key_tokens == Names{"a", "b", "c"});
  CHECK(keys.is_cross);  // other labels: no common sequence
  const OpenedInput context =
      open_text(wide + R"("tokens": ["p", "q"], "context": {"tokens": ["a", "b", "c"]}})");
  CHECK(context.key_tokens == Names{"a", "b", "c"});
  CHECK(context.is_cross);
}

TEST_CASE("one list for fewer queries than keys labels the last rows, and says so") {
  const OpenedInput input =
      open_text(R"({"attention_weights": [[[[1,0,0],[0,0.5,0.5]]]], "tokens": ["a", "b", "c"]})");
  CHECK(input.tokens == Names{"b", "c"});
  CHECK(input.key_tokens == Names{"a", "b", "c"});
  CHECK_FALSE(input.is_cross);
  CHECK(input.notes == Names{"the 2 queries are the last 2 of 3 tokens"});
}

TEST_CASE("queries that are the end of the keys are of one sequence") {
  const OpenedInput input =
      open_text(R"({"attention_weights": [[[[1,0,0],[0,0.5,0.5]]]], "tokens": ["b", "c"],)"
                R"( "key_tokens": ["a", "b", "c"], "attention": {"causal": true}})");
  CHECK_FALSE(input.is_cross);
  CHECK(input.warnings.empty());
}

TEST_CASE("without labels both axes are numbered") {
  CHECK(open_text(kTwoByTwo + "}").key_tokens == Names{"0", "1"});
  const OpenedInput wide = open_text(R"({"attention_weights": [[[[1,0,0],[0,0.5,0.5]]]]})");
  CHECK(wide.key_tokens == Names{"0", "1", "2"});
  CHECK(wide.tokens == Names{"1", "2"});
}

TEST_CASE("more queries than keys is cross-attention") {
  CHECK(open_text(R"({"attention_weights": [[[[1],[1],[1]]]]})").is_cross);
}

// Rows of head 0 with what their masks say.
class Cells : public RowSink {
 public:
  void add(const RowBlock& block) override {
    for (const RowMask& mask : block.masks) {
      for (std::size_t j = 0; j < block.weights.cols; ++j) {
        text += mask.is_missing(j) ? '?' : mask.allows(j) ? '1' : '0';
      }
      text += ' ';
    }
  }
  std::string text;
};

std::string cells_of(const OpenedInput& input) {
  Cells cells;
  input.rows->stream(cells, {});
  return cells.text;
}

TEST_CASE("a null is a missing cell, neither masked nor zero") {
  const OpenedInput input = open_text(R"({"attention_weights": [[[[1,null],[0.25,0.75]]]]})");
  CHECK(cells_of(input) == "1? 11 ");
  CHECK(weights_of(input) == std::vector<float>{1, 0, 0.25F, 0.75F});
}

TEST_CASE("nulls in one of several uneven layers are missing cells too") {
  const OpenedInput input =
      open_text(R"({"attention_weights": [[[[1,null],[0,1]]], [[[1,0],[0,1]],[[1,0],[0,1]]]]})");
  CHECK(cells_of(input) == "1? 11 11 11 11 11 ");
}

TEST_CASE("what is declared about the mask holds, unless the weights say otherwise") {
  const OpenedInput fits = open_text(kTwoByTwo + R"(, "attention": {"causal": true}})");
  CHECK(cells_of(fits) == "10 11 ");
  CHECK(fits.warnings.empty());
  const OpenedInput differs = open_text(
      R"({"attention_weights": [[[[0.5,0.5],[0.25,0.75]]]], "attention": {"causal": true}})");
  CHECK(cells_of(differs) == "11 11 ");
  CHECK(differs.warnings ==
        Names{"layer 0: L0H0 query 0 has a weight of 0.5 where the declared mask allows none; the "
              "mask is ignored"});
}

TEST_CASE("layers may declare masks of their own") {
  const OpenedInput input = open_text(
      R"({"attention_weights": [[[[1,0],[0,1]]], [[[1,0],[0,1]]]], "attention": {"causal": true},)"
      R"( "layers": [{}, {"attention": {"causal": false, "valid_keys": [true, true]}}]})");
  CHECK(cells_of(input) == "10 11 11 11 ");
}

TEST_CASE("a selection keeps the original names of the heads, means included") {
  const OpenedInput input = open_text(
      R"({"attention_weights": [[[[1]],[[1]]], [[[1]]]], "selection": ["L3H1","L3mean","L7H11"]})");
  CHECK(input.head_names[0][0].text() == "L3H1");
  CHECK(input.head_names[0][1].text() == "L3mean");
  CHECK(input.head_names[0][1].is_mean);
  CHECK(input.head_names[1][0].text() == "L7H11");
}

TEST_CASE("the tool's own marks are accepted") {
  CHECK_NOTHROW(open_text(kTwoByTwo + R"(, "format": "mha-viz attention 1",)"
                                      R"( "axes": ["layer", "head", "query", "key"]})"));
}

TEST_CASE("weights rounded to four decimals and just below zero are taken") {
  CHECK(open_text(R"({"attention_weights": [[[[0.3333,0.3333,0.3333]]]]})").warnings.empty());
  const OpenedInput input = open_text(R"({"attention_weights": [[[[1.0,-1e-9],[0,1]]]]})");
  CHECK(weights_of(input)[1] == 0);
  CHECK(input.warnings == Names{"layer 0: 1 weights just below zero were taken as zero"});
}

}  // namespace
}  // namespace mha
