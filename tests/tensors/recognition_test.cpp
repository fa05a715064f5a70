#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/base/error.hpp"

#include "support/catch.hpp"
#include "tensors/dump.hpp"

namespace mha {
namespace {

using test::MemorySource;
using test::weight_rows;

std::vector<NamedInput> open(const MemorySource& source, const TensorOptions& options = {}) {
  return open_tensors(std::make_shared<MemorySource>(source), options);
}

bool has_note(const OpenedInput& input, const std::string& part) {
  const auto has_part = [&part](const std::string& text) {
    return text.find(part) != std::string::npos;
  };
  return std::ranges::any_of(input.notes, has_part) || std::ranges::any_of(input.remarks, has_part);
}

std::vector<std::string> names(const OpenedInput& input) {
  std::vector<std::string> out;
  for (const auto& layer : input.head_names) {
    for (const HeadName& name : layer) out.push_back(name.text());
  }
  return out;
}

TEST_CASE("an array of each rank is read by its rank, and says what else it could be") {
  struct Case {
    Shape shape;
    std::size_t n_layers, n_heads;
    const char* note;
  };
  const Case cases[] = {
      {{4, 4}, 1, 1, ""},
      {{3, 4, 4}, 1, 3, "the array 3x4x4 is read as (head, query, key)"},
      {{2, 3, 4, 4}, 2, 3, "the array 2x3x4x4 is read as (layer, head, query, key); --axes bhqk"},
      {{1, 3, 4, 4}, 1, 3, ""},
      {{2, 5, 3, 4, 4}, 2, 3, "item 0 of a batch of 5"},
  };
  for (const Case& c : cases) {
    std::size_t n_rows = 1;
    for (std::size_t a = 0; a + 1 < c.shape.size(); ++a) n_rows *= c.shape[a];
    MemorySource source;
    source.add("", c.shape, weight_rows(n_rows, 4));
    const OpenedInput input = std::move(open(source)[0].input);
    CHECK(input.rows->layers().size() == c.n_layers);
    CHECK(input.rows->layers()[0].n_heads == c.n_heads);
    if (*c.note != '\0') CHECK(has_note(input, c.note));
  }
}

TEST_CASE("the flag --axes reads the same array another way, with the axes in any order") {
  const std::vector<float> values = weight_rows(2 * 3 * 4, 4);
  MemorySource source;
  source.add("", {2, 3, 4, 4}, values);
  TensorOptions options;
  options.axes = "bhqk";
  options.batch_index = 1;
  const OpenedInput input = std::move(open(source, options)[0].input);
  REQUIRE(input.rows->layers().size() == 1);
  const test::Dump got = test::dump(input);
  CHECK(got.layers[0] == std::vector<float>(values.begin() + 48, values.end()));

  // (query, key, head): the transposed array gives the same weights.
  std::vector<float> moved(2 * 3 * 3);
  const std::vector<float> plain = weight_rows(6, 3);
  for (std::size_t h = 0; h < 2; ++h) {
    for (std::size_t i = 0; i < 9; ++i) moved[i * 2 + h] = plain[h * 9 + i];
  }
  MemorySource transposed;
  transposed.add("", {3, 3, 2}, moved);
  options = {};
  options.axes = "qkh";
  CHECK(test::dump(open(transposed, options)[0].input).layers[0] == plain);

  for (const auto& [axes, message] :
       {std::pair("qk", "--axes qk: expected 3 letters, got 2; the array is 3x3x2"),
        std::pair("qqk", "--axes qqk: 'q' stands twice; the array is 3x3x2"),
        std::pair("hbq", "--axes hbq: there is no 'k'; the array is 3x3x2"),
        std::pair("xqk", "--axes xqk: unknown axis 'x'; the array is 3x3x2")}) {
    options.axes = axes;
    CHECK_THROWS_WITH(open(transposed, options), message);
  }
}

TEST_CASE("one array a layer is found under any sensible naming, in the order of its numbers") {
  for (const char* pattern : {"attn.#", "attentions_#", "layers.#.attn",
                              "blocks.#.attn.hook_pattern", "decoder_layer#_attention_probs"}) {
    MemorySource source;
    for (int layer : {10, 2, 3}) {
      std::string name = pattern;
      name.replace(name.find('#'), 1, std::to_string(layer));
      std::vector<float> rows = weight_rows(6, 3);
      source.add(name, {1, 2, 3, 3}, rows);
    }
    source.add("ids", {3, 1}, {1, 2, 3});
    const std::vector<NamedInput> inputs = open(source);
    INFO(pattern);
    REQUIRE(inputs.size() == 1);
    CHECK(names(inputs[0].input) ==
          std::vector<std::string>{"L2H0", "L2H1", "L3H0", "L3H1", "L10H0", "L10H1"});
  }
}

TEST_CASE("encoder, decoder and cross attention are inputs of their own, each with its layers") {
  MemorySource source;
  source.add("encoder_attentions", {3, 2, 5, 5}, weight_rows(30, 5));
  source.add("decoder_attentions", {2, 2, 4, 4}, weight_rows(16, 4));
  source.add("cross_attentions", {2, 2, 4, 5}, weight_rows(16, 5));
  const std::vector<NamedInput> inputs = open(source);
  REQUIRE(inputs.size() == 3);
  CHECK(inputs[0].name == "encoder");
  CHECK(inputs[0].input.rows->layers().size() == 3);
  CHECK(inputs[1].name == "decoder");
  CHECK(inputs[1].input.rows->layers().size() == 2);
  CHECK(inputs[2].name == "cross");
  CHECK(inputs[2].input.is_cross);
  CHECK(inputs[2].input.key_tokens.size() == 5);
}

TEST_CASE("steps of a generation are stitched; cells that never existed are missing") {
  MemorySource source;
  source.add("step_0_layer_0", {1, 2, 3, 3}, weight_rows(6, 3));
  source.add("step_1_layer_0", {1, 2, 1, 4}, weight_rows(2, 4));
  source.add("step_2_layer_0", {1, 2, 1, 5}, weight_rows(2, 5));
  const OpenedInput input = std::move(open(source)[0].input);
  const AttentionShape& shape = input.rows->layers()[0].shape;
  CHECK(shape.n_query == 5);
  CHECK(shape.n_key == 5);
  const test::Dump got = test::dump(input);
  CHECK(got.allowed[0][0 * 5 + 3] == 0);  // query 0 never saw key 3
  CHECK(got.allowed[0][3 * 5 + 3] == 1);
  CHECK(got.layers[0][3 * 5 + 0] == weight_rows(2, 4)[0]);
  CHECK(got.layers[0][25 + 4 * 5 + 4] == weight_rows(2, 5)[9]);
}

TEST_CASE("scores are recognised as scores and softmaxed; weights that sum wrongly are refused") {
  MemorySource source;
  source.add("attn", {1, 2, 2}, {1, 3, -2, -2});
  const OpenedInput input = std::move(open(source)[0].input);
  CHECK(has_note(input, "read as scores"));
  const test::Dump got = test::dump(input);
  CHECK(got.layers[0][1] == Approx(1 / (1 + std::exp(-2.0))));
  CHECK(got.layers[0][2] == 0.5F);

  TensorOptions as_weights;
  as_weights.reading = TensorReading::kWeights;
  CHECK_THROWS_WITH(open(source, as_weights),
                    "L0H0 query 0 key 1 holds 3; expected a weight from 0 to 1");
  MemorySource unclear;
  unclear.add("attn", {1, 1, 2}, {0.5F, 0.25F});
  CHECK_THROWS_WITH(open(unclear), "L0H0 query 0 sums to 0.75; expected 1 within 0.001");
  TensorOptions as_scores;
  as_scores.reading = TensorReading::kScores;
  CHECK(test::dump(open(unclear, as_scores)[0].input).layers[0][0] ==
        Approx(1 / (1 + std::exp(-0.25))));
}

TEST_CASE("scores of minus infinity and a causal flag are masks, four decimals pass with a note") {
  const float inf = std::numeric_limits<float>::infinity();
  MemorySource source;
  source.add("scores", {1, 2, 2}, {0, -inf, 1, 1});
  const test::Dump got = test::dump(open(source)[0].input);
  CHECK(got.layers[0] == std::vector<float>{1, 0, 0.5F, 0.5F});
  CHECK(got.allowed[0] == std::vector<std::uint8_t>{1, 0, 1, 1});
  TensorOptions causal;
  causal.rule.causal = true;
  MemorySource full;
  full.add("scores", {1, 2, 2}, {5, 9, 1, 1});
  CHECK(test::dump(open(full, causal)[0].input).layers[0] == std::vector<float>{1, 0, 0.5F, 0.5F});

  std::vector<float> rounded(100, 0.01004F);
  MemorySource four;
  four.add("attn", {1, 1, 100}, rounded);
  const OpenedInput input = std::move(open(four)[0].input);
  REQUIRE(input.warnings.size() == 1);
  CHECK(input.warnings[0].find("four decimals") != std::string::npos);
}

TEST_CASE(
    "queries and keys are found by name, heads first or tokens first, with shared key heads") {
  const Matrix q = test::random_matrix(5, 4 * 3, 1);
  const Matrix k = test::random_matrix(5, 2 * 3, 2);
  std::vector<float> q_heads(4 * 5 * 3), k_heads(2 * 5 * 3);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t c = 0; c < 12; ++c) q_heads[(c / 3 * 5 + i) * 3 + c % 3] = q(i, c);
    for (std::size_t c = 0; c < 6; ++c) k_heads[(c / 3 * 5 + i) * 3 + c % 3] = k(i, c);
  }
  MemorySource heads_first;
  heads_first.add("layers.0.q", {4, 5, 3}, q_heads).add("layers.0.k", {2, 5, 3}, k_heads);
  MemorySource tokens_first;
  tokens_first.add("q", {5, 4, 3}, {q.data(), q.data() + 60})
      .add("k", {5, 2, 3}, {k.data(), k.data() + 30});
  TensorOptions options;
  options.rule.causal = true;
  const test::Dump a = test::dump(open(heads_first, options)[0].input);
  const test::Dump b = test::dump(open(tokens_first, options)[0].input);
  REQUIRE(a.layers[0].size() == 4 * 5 * 5);
  CHECK(test::largest_difference(a.layers[0], b.layers[0]) < 1e-6);
  CHECK(a.outputs.empty());
  CHECK(a.layers[0][1] == 0.0F);
}

TEST_CASE("TransformerLens names: rotated queries are preferred, a batch axis leads") {
  const Matrix any = test::random_matrix(6, 2 * 4, 3);
  const Matrix rotated = test::random_matrix(6, 2 * 4, 4);
  const std::vector<float> plain_values(any.data(), any.data() + 48);
  const std::vector<float> rotated_values(rotated.data(), rotated.data() + 48);
  MemorySource source;
  source.add("blocks.1.attn.hook_q", {1, 6, 2, 4}, plain_values)
      .add("blocks.1.attn.hook_k", {1, 6, 2, 4}, plain_values)
      .add("blocks.1.attn.hook_rot_q", {1, 6, 2, 4}, rotated_values)
      .add("blocks.1.attn.hook_rot_k", {1, 6, 2, 4}, rotated_values)
      .add("blocks.1.attn.hook_v", {1, 6, 2, 4}, plain_values);
  TensorOptions options;
  options.axes = "bnhd";
  const OpenedInput input = std::move(open(source, options)[0].input);
  CHECK(names(input) == std::vector<std::string>{"L1H0", "L1H1"});
  const test::Dump got = test::dump(input);
  double exact = 0, sum = 0;
  for (std::size_t j = 0; j < 6; ++j) {
    double dot = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      dot += static_cast<double>(rotated(0, c)) * static_cast<double>(rotated(j, c));
    }
    sum += std::exp(dot / 2);
    if (j == 2) exact = std::exp(dot / 2);
  }
  CHECK(static_cast<double>(got.layers[0][2]) == Approx(exact / sum).epsilon(1e-5));
  CHECK(got.outputs.size() == 1);
}

TEST_CASE("labels: a list for the keys labels the last queries; a wrong count names both numbers") {
  MemorySource source;
  source.add("attn", {1, 2, 3, 5}, weight_rows(6, 5));
  TensorOptions options;
  options.tokens = {"a", "b", "c", "d", "e"};
  const OpenedInput input = std::move(open(source, options)[0].input);
  CHECK(input.tokens == std::vector<std::string>{"c", "d", "e"});
  CHECK(has_note(input, "the 3 queries are the last 3 of 5 tokens"));
  options.tokens = {"a", "b", "c", "d"};
  CHECK_THROWS_WITH(open(source, options),
                    "--tokens: wrong number of labels; expected 5 keys or 3 queries, got 4");
  CHECK(parse_labels("[\"x\", \"y\"]") == std::vector<std::string>{"x", "y"});
  CHECK(parse_labels("{\"tokens\": [\"x\"], \"ids\": [3]}") == std::vector<std::string>{"x"});
  CHECK(parse_labels("[5, 7]") == std::vector<std::string>{"5", "7"});
  CHECK(parse_labels("the\n cat\r\n") == std::vector<std::string>{"the", " cat"});
}

TEST_CASE("a file without attention says what it holds") {
  MemorySource source;
  source.add("embed.weight", {8, 4}, std::vector<float>(32, 0.5F));
  source.add("lm_head.bias", {8}, std::vector<float>(8));
  TensorOptions options;
  options.tensor = "nothing";
  CHECK_THROWS_WITH(open(source, options), Catch::Contains("nothing here looks like attention") &&
                                               Catch::Contains("'embed.weight' 8x4"));
}

TEST_CASE("one map a layer without a head axis gets a hint that it may be an average") {
  MemorySource source;
  source.add("attn_weights", {4, 4}, weight_rows(4, 4));
  CHECK(has_note(open(source)[0].input, "average over heads"));
}

}  // namespace
}  // namespace mha
