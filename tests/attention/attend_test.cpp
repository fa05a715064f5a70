#include "mha/attention/attend.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "mha/attention/rope.hpp"
#include "mha/base/error.hpp"

#include "support/catch.hpp"
#include "support/collect.hpp"
#include "support/oracle.hpp"

namespace mha {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// Random queries, keys and values of one layer.
struct Layer {
  AttentionShape shape;
  HeadLayout layout;
  AttentionRule rule;
  Matrix q, k, v;

  Layer(const AttentionShape& s, const HeadLayout& l, unsigned seed)
      : shape(s),
        layout(l),
        q(test::random_matrix(s.n_query, l.n_heads * l.d_head, seed)),
        k(test::random_matrix(s.n_key, l.n_kv_heads * l.d_head, seed + 1)),
        v(test::random_matrix(s.n_key, l.n_kv_heads * l.d_value, seed + 2)) {}

  oracle::Result expected() const {
    return oracle::attend({shape, layout, &rule, q.view(), k.view(), v.view()});
  }
};

struct Computed {
  test::Collect rows;
  Matrix outputs;
};

Computed compute(const Layer& layer, const StreamOptions& options) {
  check_rule(layer.rule, layer.layout, layer.shape);
  Matrix q = layer.q;
  Matrix k = layer.k;
  if (layer.rule.position == PositionKind::kRope) {
    const std::size_t first = layer.shape.position_offset();
    apply_rope(layer.rule.rope, first, layer.layout.d_head, q.view(), options.n_threads);
    apply_rope(layer.rule.rope, 0, layer.layout.d_head, k.view(), options.n_threads);
  }
  Computed out{test::Collect(layer.layout.n_heads, layer.shape),
               Matrix(layer.shape.n_query, layer.layout.n_heads * layer.layout.d_value)};
  const HeadLayout& layout = layer.layout;
  const AttentionProblem problem{0,
                                 layer.shape,
                                 layout,
                                 &layer.rule,
                                 heads_in_columns(q.view(), layout.d_head),
                                 heads_in_columns(k.view(), layout.d_head),
                                 heads_in_columns(layer.v.view(), layout.d_value)};
  attend(problem, out.rows, out.outputs.view(), options);
  return out;
}

double largest_difference(const float* got, const std::vector<double>& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::fabs(static_cast<double>(got[i]) - expected[i]);
    if (!(difference <= largest)) largest = difference;  // NaN counts as the largest
  }
  return largest;
}

void check_against_oracle(const Layer& layer) {
  const oracle::Result expected = layer.expected();
  for (std::size_t block_rows : {0, 1, 3, 64}) {
    StreamOptions options;
    options.n_threads = 2;
    options.block_rows = block_rows;
    const Computed got = compute(layer, options);
    CHECK(largest_difference(got.rows.weights.data(), expected.weights) < 2e-6);
    CHECK(largest_difference(got.outputs.data(), expected.outputs) < 5e-6);
  }
}

struct Variant {
  const char* name;
  std::function<void(Layer&)> change;
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> kVariants = {
      {"plain", [](Layer&) {}},
      {"causal", [](Layer& l) { l.rule.mask.causal = true; }},
      {"causal window",
       [](Layer& l) {
         l.rule.mask.causal = true;
         l.rule.mask.window = 5;
       }},
      {"window both ways", [](Layer& l) { l.rule.mask.window = 4; }},
      {"window of one", [](Layer& l) { l.rule.mask.window = 1; }},
      {"window wider than the sequence", [](Layer& l) { l.rule.mask.window = 1000; }},
      {"valid keys",
       [](Layer& l) {
         l.rule.mask.valid_keys.assign(l.shape.n_key, 1);
         l.rule.mask.valid_keys[0] = l.rule.mask.valid_keys[l.shape.n_key - 2] = 0;
       }},
      {"mask with a fully masked row",
       [](Layer& l) {
         l.rule.mask.mask.assign(l.shape.n_query * l.shape.n_key, 1);
         for (std::size_t j = 0; j < l.shape.n_key; ++j) l.rule.mask.mask[l.shape.n_key + j] = 0;
         l.rule.mask.mask[3] = 0;
       }},
      {"scale", [](Layer& l) { l.rule.scale = 1.7; }},
      {"temperature", [](Layer& l) { l.rule.temperature = 0.3; }},
      {"softcap", [](Layer& l) { l.rule.softcap = 1.5; }},
      {"alibi", [](Layer& l) { l.rule.position = PositionKind::kAlibi; }},
      {"rope half", [](Layer& l) { l.rule.position = PositionKind::kRope; }},
      {"rope interleaved, partial",
       [](Layer& l) {
         l.rule.position = PositionKind::kRope;
         l.rule.rope = {500, RopePairing::kInterleaved, 0.6};
       }},
      {"bias of every head",
       [](Layer& l) {
         l.rule.bias_heads = l.layout.n_heads;
         l.rule.bias.resize(l.layout.n_heads * l.shape.n_query * l.shape.n_key);
         for (std::size_t i = 0; i < l.rule.bias.size(); ++i) {
           l.rule.bias[i] = i % 7 == 0 ? -kInf : static_cast<float>(i % 11) * 0.3F;
         }
       }},
      {"everything",
       [](Layer& l) {
         l.rule.mask.causal = true;
         l.rule.mask.window = 6;
         l.rule.mask.valid_keys.assign(l.shape.n_key, 1);
         l.rule.mask.valid_keys[2] = 0;
         l.rule.scale = 0.8;
         l.rule.softcap = 3;
         l.rule.temperature = 1.3;
         l.rule.position = PositionKind::kRope;
         l.rule.bias_heads = 1;
         l.rule.bias.assign(l.shape.n_query * l.shape.n_key, 0.25F);
         l.rule.bias[5] = -kInf;
       }},
  };
  return kVariants;
}

TEST_CASE("every attention rule agrees with the double-precision oracle at any block size") {
  for (const Variant& variant : variants()) {
    DYNAMIC_SECTION(variant.name) {
      Layer square({13, 13, false}, {4, 4, 8, 8}, 1);
      variant.change(square);
      check_against_oracle(square);
      Layer last_queries({5, 17, false}, {6, 2, 7, 5}, 9);
      variant.change(last_queries);
      check_against_oracle(last_queries);
    }
  }
}

TEST_CASE("cross-attention agrees with the oracle") {
  Layer layer({9, 4, true}, {3, 3, 8, 6}, 3);
  check_against_oracle(layer);
  layer.rule.mask.valid_keys = {1, 0, 1, 1};
  check_against_oracle(layer);
}

TEST_CASE("large problems agree with the oracle and do not depend on the number of threads") {
  Layer layer({300, 300, false}, {3, 3, 16, 16}, 5);
  layer.rule.mask.causal = true;
  const oracle::Result expected = layer.expected();
  StreamOptions options;
  options.n_threads = 1;
  const Computed one = compute(layer, options);
  CHECK(largest_difference(one.rows.weights.data(), expected.weights) < 2e-6);
  for (std::size_t threads : {2, 3, 8}) {
    options.n_threads = threads;
    const Computed many = compute(layer, options);
    CHECK(many.rows.weights == one.rows.weights);
    CHECK(std::equal(many.outputs.data(), many.outputs.data() + 300 * 48, one.outputs.data()));
  }
}

TEST_CASE("rows longer than a tile of keys agree with the oracle under every rule") {
  for (const Variant& variant : variants()) {
    DYNAMIC_SECTION(variant.name) {
      Layer layer({6, 1300, false}, {2, 2, 8, 4}, 13);
      variant.change(layer);
      const oracle::Result expected = layer.expected();
      const Computed got = compute(layer, {});
      CHECK(largest_difference(got.rows.weights.data(), expected.weights) < 2e-6);
      CHECK(largest_difference(got.outputs.data(), expected.outputs) < 5e-6);
    }
  }
}

TEST_CASE("a maximum that grows from tile to tile, hidden tiles and late NaN come out right") {
  Layer layer({3, 1600, false}, {1, 1, 1, 1}, 3);
  layer.rule.scale = 1;
  for (std::size_t j = 0; j < 1600; ++j) layer.k(j, 0) = static_cast<float>(j) * 0.01F;
  layer.q(0, 0) = 1;
  layer.q(1, 0) = -1;
  layer.q(2, 0) = 10;
  layer.rule.mask.valid_keys.assign(1600, 1);
  std::fill_n(layer.rule.mask.valid_keys.begin(), 700, std::uint8_t{0});  // more than a tile
  check_against_oracle(layer);
  layer.k(1599, 0) = std::numeric_limits<float>::quiet_NaN();
  const Computed got = compute(layer, {});
  CHECK(got.rows.weights[0] == 0.0F);
  CHECK(std::isnan(got.rows.weights[700]));
  layer.k(1599, 0) = 0;
  layer.k(710, 0) = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(compute(layer, {}).rows.weights[1000]));
}

TEST_CASE("rows sum to one, masked cells are exactly zero") {
  for (const Variant& variant : variants()) {
    DYNAMIC_SECTION(variant.name) {
      Layer layer({40, 40, false}, {2, 1, 4, 4}, 21);
      variant.change(layer);
      const Computed got = compute(layer, {});
      const std::size_t n_key = layer.shape.n_key;
      for (std::size_t row = 0; row < 2 * layer.shape.n_query; ++row) {
        double sum = 0;
        std::size_t n_allowed = 0;
        for (std::size_t j = 0; j < n_key; ++j) {
          const std::size_t at = row * n_key + j;
          sum += static_cast<double>(got.rows.weights[at]);
          n_allowed += got.rows.allowed[at];
          if (got.rows.allowed[at] == 0) REQUIRE(got.rows.weights[at] == 0.0F);
        }
        REQUIRE(got.rows.n_allowed[row] == n_allowed);
        REQUIRE(std::fabs(sum - (n_allowed > 0 ? 1 : 0)) < 1e-6);
      }
    }
  }
}

TEST_CASE("a fully masked row is zero, gives a zero output and says that it is fully masked") {
  Layer layer({6, 6, false}, {2, 2, 4, 4}, 2);
  layer.rule.mask.causal = true;
  layer.rule.mask.valid_keys = {0, 0, 1, 1, 1, 1};
  const Computed got = compute(layer, {});
  for (std::size_t row : {0, 1, 6, 7}) {
    CHECK(got.rows.n_allowed[row] == 0);
    for (std::size_t j = 0; j < 6; ++j) CHECK(got.rows.weights[row * 6 + j] == 0.0F);
  }
  for (std::size_t c = 0; c < 8; ++c) CHECK(got.outputs(1, c) == 0.0F);
  CHECK(got.rows.n_allowed[2] == 1);
  CHECK(got.rows.weights[2 * 6 + 2] == 1.0F);
}

TEST_CASE("scores of ten thousand give finite weights") {
  Layer layer({8, 8, false}, {1, 1, 4, 4}, 4);
  layer.rule.scale = 1e4;
  check_against_oracle(layer);
}

TEST_CASE("a query that is not a number makes its rows NaN where they are allowed, and no other") {
  Layer layer({4, 4, false}, {1, 1, 2, 2}, 6);
  layer.q(2, 0) = std::numeric_limits<float>::quiet_NaN();
  layer.rule.mask.causal = true;
  layer.rule.mask.valid_keys = {1, 0, 1, 1};
  const Computed got = compute(layer, {});
  CHECK(std::isnan(got.rows.weights[2 * 4 + 0]));
  CHECK(got.rows.weights[2 * 4 + 1] == 0.0F);
  CHECK(std::isnan(got.rows.weights[2 * 4 + 2]));
  CHECK(got.rows.weights[2 * 4 + 3] == 0.0F);
  CHECK(std::isfinite(got.rows.weights[3 * 4 + 0]));
}

TEST_CASE("padding positions are marked as padding queries in self-attention") {
  const AttentionShape shape{4, 4, false};
  MaskRule rule;
  rule.valid_keys = {0, 1, 1, 1};
  RowMasker masker(rule, shape);
  const std::vector<RowMask>& rows = masker.rows(0, 4, {});
  CHECK(rows[0].is_padding);
  CHECK_FALSE(rows[1].is_padding);
}

TEST_CASE("ALiBi slopes are those of the paper") {
  CHECK(alibi_slopes(8)[0] == 0.5);
  CHECK(alibi_slopes(8)[7] == std::exp2(-8.0));
  const std::vector<double> six = alibi_slopes(6);  // those of 4, then every other one of 8
  CHECK(six == std::vector<double>{0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125});
}

TEST_CASE("rules that do not fit are refused with both numbers") {
  const auto message = [](const AttentionRule& rule, const HeadLayout& layout,
                          const AttentionShape& shape) {
    try {
      check_rule(rule, layout, shape);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  AttentionRule rule;
  CHECK(message(rule, {6, 4, 8, 8}, {3, 3, false}) ==
        "n_kv_heads does not divide n_heads; expected a divisor of 6, got 4");
  CHECK(message(rule, {1, 1, 8, 8}, {4, 3, false}) ==
        "self-attention has more queries than keys; expected at most 3 queries, got 4");
  rule.mask.causal = true;
  CHECK(message(rule, {1, 1, 8, 8}, {4, 3, true}) ==
        "causal needs positions, and queries and keys of cross-attention share none");
  rule = {};
  rule.temperature = 0;
  CHECK(message(rule, {1, 1, 8, 8}, {3, 3, false}) == "temperature must be above 0, got 0");
  rule = {};
  rule.bias_heads = 2;
  rule.bias.resize(18);
  CHECK(message(rule, {3, 3, 8, 8}, {3, 3, false}) ==
        "bias has the wrong number of heads; expected 3, got 2");
}

}  // namespace
}  // namespace mha
