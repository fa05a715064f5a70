// Walkthroughs: every step against plain loops in double precision, and the end against the engine.
#include "mha/analysis/walkthrough.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include "stacks.hpp"
#include "support/catch.hpp"
#include "support/collect.hpp"
#include "support/oracle.hpp"

namespace mha {
namespace {

using test::Rows;

constexpr double kTolerance = 1e-5;  // of numbers of size 10 and below, in float

void check_close(const Matrix& got, const std::function<double(std::size_t, std::size_t)>& want) {
  for (std::size_t i = 0; i < got.rows(); ++i) {
    for (std::size_t j = 0; j < got.cols(); ++j) {
      const double expected = want(i, j);
      CAPTURE(i, j, got(i, j), expected);
      if (!std::isfinite(expected)) {
        CHECK(static_cast<double>(got(i, j)) == expected);
        continue;
      }
      const double size = std::max(1.0, std::fabs(expected));
      CHECK(std::fabs(static_cast<double>(got(i, j)) - expected) <= kTolerance * size);
    }
  }
}

void check_rows(const Matrix& got, const Rows& want) {
  REQUIRE(got.rows() == want.size());
  check_close(got, [&](std::size_t i, std::size_t j) { return want[i][j]; });
}

const Matrix& values_of(const Walkthrough& walk, StepKind kind) {
  const Step* step = walk.find(kind);
  REQUIRE(step != nullptr);
  return step->values;
}

// Projected queries, keys and values of all heads, in double precision.
struct Projected {
  Rows q, k, v;
};

Projected project(const LayerInput& input) {
  const HeadLayout& heads = input.layer.layout;
  const Rows x = test::rows_of(input.x);
  const std::size_t q_width = heads.n_heads * heads.d_head;
  const std::size_t k_width = heads.n_kv_heads * heads.d_head;
  const auto cut = [](const Rows& rows, std::size_t first, std::size_t n) {
    Rows out;
    for (const auto& row : rows) {
      const auto begin = row.begin() + static_cast<std::ptrdiff_t>(first);
      out.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(n));
    }
    return out;
  };
  const std::size_t v_width = heads.n_kv_heads * heads.d_value;
  if (input.context) {
    const Rows kv = test::times(test::rows_of(*input.context), input.layer.weights.kv);
    return {test::times(x, input.layer.weights.q), cut(kv, 0, k_width), cut(kv, k_width, v_width)};
  }
  const Rows all = test::times(x, input.layer.weights.qkv);
  return {cut(all, 0, q_width), cut(all, q_width, k_width), cut(all, q_width + k_width, v_width)};
}

// The rule as it is after the step: what comes later is left out.
AttentionRule rule_up_to(const AttentionRule& rule, StepKind kind) {
  AttentionRule out = rule;
  if (kind < StepKind::kMasked) out.mask = {};
  if (kind < StepKind::kTemperature) out.temperature = 1;
  if (kind < StepKind::kBias) out.bias.clear();
  if (kind < StepKind::kAlibi && rule.position == PositionKind::kAlibi) {
    out.position = PositionKind::kNone;
  }
  if (kind < StepKind::kCapped) out.softcap.reset();
  if (kind < StepKind::kScaled) out.scale = 1;
  return out;
}

void check_scores(const Walkthrough& walk, const LayerInput& input, const Projected& projected) {
  const HeadLayout& heads = input.layer.layout;
  const Matrix q = test::columns(projected.q, 0, heads.n_heads * heads.d_head);
  const Matrix k = test::columns(projected.k, 0, heads.n_kv_heads * heads.d_head);
  std::size_t n_score_steps = 0;
  for (const Step& step : walk.steps) {
    if (step.kind < StepKind::kScores || step.kind >= StepKind::kWeights) continue;
    ++n_score_steps;
    const AttentionRule rule = rule_up_to(input.layer.rule, step.kind);
    const oracle::Problem problem{walk.shape, heads, &rule, q.view(), k.view(), {}};
    INFO("step " << static_cast<int>(step.kind));
    check_close(step.values, [&](std::size_t i, std::size_t j) {
      return oracle::score(problem, walk.head, i, j);
    });
  }
  CHECK(n_score_steps >= 2);
}

void check_vectors(const Walkthrough& walk, const Projected& projected) {
  const std::size_t d = walk.layout.d_head;
  const std::size_t width = walk.layout.d_value;
  check_close(values_of(walk, StepKind::kQueries),
              [&](std::size_t i, std::size_t c) { return projected.q[i][walk.head * d + c]; });
  check_close(values_of(walk, StepKind::kKeys),
              [&](std::size_t j, std::size_t c) { return projected.k[j][walk.kv_head() * d + c]; });
  check_close(values_of(walk, StepKind::kValues), [&](std::size_t j, std::size_t c) {
    return projected.v[j][walk.kv_head() * width + c];
  });
}

struct Engine {
  test::Collect rows;
  Matrix output;
};

Engine run_engine(const AttentionStack& stack, std::size_t layer) {
  const LayerInfo& info = stack.layers()[layer];
  Engine engine{test::Collect(info.n_heads, info.shape), {}};
  std::vector<Matrix> outputs;
  StreamOptions options;
  options.layers = {layer, layer + 1};
  options.outputs = &outputs;
  stack.stream(engine.rows, options);
  engine.output = std::move(outputs.at(0));
  return engine;
}

// The last output of the walk before a residual.
const Matrix& output_of(const Walkthrough& walk) {
  const Step* output = walk.find(StepKind::kOutput);
  return output != nullptr ? output->values : values_of(walk, StepKind::kConcat);
}

void check_engine(const Walkthrough& walk, const Engine& engine) {
  const Matrix& weights = values_of(walk, StepKind::kWeights);
  const std::size_t first = walk.head * weights.rows() * weights.cols();
  float largest = 0;
  for (std::size_t i = 0; i < weights.rows() * weights.cols(); ++i) {
    largest = std::max(largest, std::fabs(weights.data()[i] - engine.rows.weights[first + i]));
    CHECK((walk.allowed[i] != 0) == (engine.rows.allowed[first + i] != 0));
  }
  CHECK(largest <= 1e-6F);
  check_close(output_of(walk), [&](std::size_t i, std::size_t c) {
    return static_cast<double>(engine.output(i, c));
  });
}

TEST_CASE("a walkthrough of any layer agrees with the oracle step by step and with the engine") {
  for (const test::StackKind& kind : test::stack_kinds()) {
    INFO(kind.name);
    const AttentionStack stack(test::stack_input(kind));
    for (std::size_t l = 0; l < kind.n_layers; ++l) {
      const LayerInput input = stack.input_of(l);
      const Projected projected = project(input);
      const Engine engine = run_engine(stack, l);
      const LayerWalk layer(stack.input_of(l));
      for (std::size_t h = 0; h < kind.layout.n_heads; ++h) {
        CAPTURE(l, h);
        const Walkthrough walk = layer.head(h);
        check_vectors(walk, projected);
        check_scores(walk, input, projected);
        check_engine(walk, engine);
        CHECK((walk.find(StepKind::kKvHeads) != nullptr) ==
              (kind.layout.n_kv_heads != kind.layout.n_heads));
        CHECK((walk.find(StepKind::kMasked) != nullptr) == kind.is_causal);
        CHECK((walk.find(StepKind::kResidual) != nullptr) == kind.residual);
        CHECK((walk.find(StepKind::kContext) != nullptr) == kind.is_cross);
        CHECK((walk.find(StepKind::kOutputWeight) != nullptr) == kind.has_w_o);
      }
    }
  }
}

TEST_CASE("the end of a walkthrough is what the next layer reads") {
  for (const test::StackKind& kind : test::stack_kinds()) {
    if (kind.n_layers < 2) continue;
    INFO(kind.name);
    const AttentionStack stack(test::stack_input(kind));
    const Walkthrough walk = LayerWalk(stack.input_of(0)).head(1);
    const Matrix next = stack.input_of(1).x;
    check_close(walk.steps.back().values,
                [&](std::size_t i, std::size_t c) { return static_cast<double>(next(i, c)); });
  }
}

// One layer of 4 heads (2 key-value heads) of width 4 on 6 tokens.
LayerInput plain_input() {
  LayerInput input;
  input.layer.layout = {4, 2, 4, 4};
  input.x = test::random_matrix(6, 8, 3);
  input.layer.weights.qkv = {test::random_matrix(8, 32, 4, 0.5F), test::random_values(32, 5)};
  input.layer.weights.o = {test::random_matrix(16, 8, 6, 0.5F), {}};
  return input;
}

struct RuleCase {
  const char* name;
  std::function<void(AttentionRule*)> change;
  std::vector<StepKind> steps;  // beside those that every walkthrough has
};

std::vector<RuleCase> rule_cases() {
  using Kinds = std::vector<StepKind>;
  const auto bias = [](AttentionRule* rule) {
    rule->bias = test::random_values(4 * 36, 9);
    rule->bias_heads = 4;
  };
  return {
      {"scale", [](AttentionRule* rule) { rule->scale = 0.3; }, {}},
      {"softcap", [](AttentionRule* rule) { rule->softcap = 2; }, Kinds{StepKind::kCapped}},
      {"ALiBi", [](AttentionRule* rule) { rule->position = PositionKind::kAlibi; },
       Kinds{StepKind::kAlibi}},
      {"RoPE", [](AttentionRule* rule) { rule->position = PositionKind::kRope; },
       Kinds{StepKind::kRotatedQueries, StepKind::kRotatedKeys}},
      {"bias", bias, Kinds{StepKind::kBias}},
      {"temperature", [](AttentionRule* rule) { rule->temperature = 0.5; },
       Kinds{StepKind::kTemperature}},
      {"window", [](AttentionRule* rule) { rule->mask.window = 2; }, Kinds{StepKind::kMasked}},
      {"padding", [](AttentionRule* rule) { rule->mask.valid_keys = {0, 1, 1, 1, 1, 0}; },
       Kinds{StepKind::kMasked}},
      {"everything",
       [bias](AttentionRule* rule) {
         bias(rule);
         rule->scale = 0.7;
         rule->softcap = 3;
         rule->position = PositionKind::kAlibi;
         rule->temperature = 2;
         rule->mask.causal = true;
         rule->mask.window = 3;
       },
       Kinds{StepKind::kCapped, StepKind::kAlibi, StepKind::kBias, StepKind::kTemperature,
             StepKind::kMasked}},
  };
}

TEST_CASE("each part of a rule is a step of its own, and only where the rule has it") {
  for (const RuleCase& rule : rule_cases()) {
    INFO(rule.name);
    LayerInput input = plain_input();
    rule.change(&input.layer.rule);
    const Projected projected = project(input);
    const AttentionStack stack({input.x, {}, {input.layer}, false});
    const Engine engine = run_engine(stack, 0);
    for (std::size_t h = 0; h < 4; ++h) {
      const Walkthrough walk = LayerWalk(input).head(h);
      check_scores(walk, input, projected);
      check_engine(walk, engine);
      for (StepKind kind :
           {StepKind::kRotatedQueries, StepKind::kRotatedKeys, StepKind::kCapped, StepKind::kAlibi,
            StepKind::kBias, StepKind::kTemperature, StepKind::kMasked}) {
        const bool is_wanted = std::ranges::find(rule.steps, kind) != rule.steps.end();
        CHECK((walk.find(kind) != nullptr) == is_wanted);
      }
      CHECK(std::ranges::is_sorted(walk.steps, {}, &Step::kind));
    }
  }
}

TEST_CASE("rotated queries and keys are turned at their own positions") {
  LayerInput input = plain_input();
  input.layer.rule.position = PositionKind::kRope;
  input.layer.rule.rope.pairing = RopePairing::kInterleaved;
  const Walkthrough walk = LayerWalk(input).head(2);
  const auto check = [&](StepKind from, StepKind to) {
    const Rows before = test::rows_of(values_of(walk, from));
    Rows after;
    for (std::size_t i = 0; i < before.size(); ++i) {
      after.push_back(oracle::rotated(input.layer.rule.rope, static_cast<double>(i), before[i]));
    }
    check_rows(values_of(walk, to), after);
  };
  check(StepKind::kQueries, StepKind::kRotatedQueries);
  check(StepKind::kKeys, StepKind::kRotatedKeys);
}

TEST_CASE("queries and keys are normed before they are rotated") {
  LayerInput input = plain_input();
  input.layer.rule.position = PositionKind::kRope;
  input.layer.rule.rope.frequencies = {0.5, 0.02};
  input.layer.rule.rope.magnitude = 1.5;
  input.layer.weights.q_norm = {{1, 2, 0.5F, -1}, 0.01};
  input.layer.weights.k_norm = {{0.5F, 1, 3, 1}, 0.01};
  const Walkthrough walk = LayerWalk(input).head(1);
  const auto check = [&](StepKind from, StepKind normed, StepKind rotated, const HeadNorm& norm) {
    Rows rows = test::rows_of(values_of(walk, from));
    for (auto& row : rows) {
      double squares = 0;
      for (const double x : row) squares += x * x;
      const double rms = std::sqrt(squares / 4 + 0.01);
      for (std::size_t c = 0; c < 4; ++c) {
        row[c] = row[c] / rms * static_cast<double>(norm.weight[c]);
      }
    }
    check_rows(values_of(walk, normed), rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = oracle::rotated(input.layer.rule.rope, static_cast<double>(i), rows[i]);
    }
    check_rows(values_of(walk, rotated), rows);
  };
  const LayerWeights& weights = input.layer.weights;
  check(StepKind::kQueries, StepKind::kNormedQueries, StepKind::kRotatedQueries, weights.q_norm);
  check(StepKind::kKeys, StepKind::kNormedKeys, StepKind::kRotatedKeys, weights.k_norm);
  CHECK(std::ranges::is_sorted(walk.steps, {}, &Step::kind));
  check_engine(walk, run_engine(AttentionStack({input.x, {}, {input.layer}, false}), 0));
}

TEST_CASE("the weights of a head are its columns, and their product with X its vectors") {
  const LayerInput input = plain_input();
  const Walkthrough walk = LayerWalk(input).head(3);
  CHECK(walk.kv_head() == 1);
  const std::vector<std::pair<StepKind, StepKind>> kinds = {
      {StepKind::kQueryWeight, StepKind::kQueries},
      {StepKind::kKeyWeight, StepKind::kKeys},
      {StepKind::kValueWeight, StepKind::kValues}};
  for (const auto& [weight_kind, kind] : kinds) {
    const Step* weight = walk.find(weight_kind);
    REQUIRE(weight != nullptr);
    check_rows(values_of(walk, kind),
               test::times(test::rows_of(input.x), {weight->values, weight->bias}));
  }
}

TEST_CASE("a row that may look at nothing has weights of zero, and the others still sum to 1") {
  LayerInput input = plain_input();
  input.layer.rule.mask.causal = true;
  input.layer.rule.mask.valid_keys = {0, 1, 1, 1, 1, 1};
  const Walkthrough walk = LayerWalk(input).head(0);
  const Matrix& weights = values_of(walk, StepKind::kWeights);
  for (std::size_t i = 0; i < 6; ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < 6; ++j) sum += weights(i, j);
    CHECK(sum == Approx(i == 0 ? 0 : 1));
  }
}

TEST_CASE("a query that is not a number spoils its own row alone") {
  LayerInput input = plain_input();
  input.x(2, 0) = std::numeric_limits<float>::quiet_NaN();
  input.layer.rule.mask.causal = true;
  const Matrix weights = values_of(LayerWalk(input).head(0), StepKind::kWeights);
  CHECK(std::isfinite(weights(1, 0)));
  CHECK(std::isnan(weights(2, 0)));
  CHECK(weights(2, 5) == 0);
}

TEST_CASE("from Q, K and V the walkthrough starts there, without V it ends at the weights") {
  const Matrix q = test::random_matrix(3, 8, 1);
  const Matrix kv = test::random_matrix(5, 16, 2);
  QkvLayer layer;
  layer.layout = {2, 2, 4, 4};
  layer.shape = {3, 5, false};
  layer.q = heads_in_columns(q.view(), 4);
  layer.k = heads_in_columns(kv.view().col_range(0, 8), 4);
  layer.v = heads_in_columns(kv.view().col_range(8, 8), 4);
  layer.rule.mask.causal = true;
  const Walkthrough walk = LayerWalk(layer).head(1);
  CHECK(walk.steps.front().kind == StepKind::kQueries);
  CHECK(walk.steps.back().kind == StepKind::kConcat);
  const oracle::Result truth =
      oracle::attend({layer.shape, layer.layout, &layer.rule, q.view(), kv.view().col_range(0, 8),
                      kv.view().col_range(8, 8)});
  check_close(values_of(walk, StepKind::kWeights),
              [&](std::size_t i, std::size_t j) { return truth.weights[(3 + i) * 5 + j]; });
  check_close(values_of(walk, StepKind::kConcat),
              [&](std::size_t i, std::size_t c) { return truth.outputs[i * 8 + c]; });
  layer.v = {};
  CHECK(LayerWalk(layer).head(1).steps.back().kind == StepKind::kWeights);
}

TEST_CASE("known scores are walked from the scores on, and minus infinity hides a cell") {
  FloatVector scores{1, 2, 3, 0, 0, -std::numeric_limits<float>::infinity()};
  const ScoreLayer layer{1, {2, 3, false}, FloatStorage(std::move(scores)), {}};
  const Walkthrough walk = LayerWalk(layer).head(0);
  REQUIRE(walk.steps.size() == 3);
  CHECK(walk.steps[1].kind == StepKind::kMasked);
  const Matrix& weights = values_of(walk, StepKind::kWeights);
  CHECK(weights(0, 2) == Approx(std::exp(2) / (1 + std::exp(1) + std::exp(2))));
  CHECK(weights(1, 0) == Approx(0.5));
  CHECK(weights(1, 2) == 0);
  CHECK_FALSE(walk.allows(1, 2));
}

TEST_CASE("any number of threads gives the same walkthrough") {
  const LayerInput input = plain_input();
  const Walkthrough one = LayerWalk(input, 1).head(1);
  const Walkthrough four = LayerWalk(input, 4).head(1);
  REQUIRE(one.steps.size() == four.steps.size());
  for (std::size_t s = 0; s < one.steps.size(); ++s) {
    CHECK(test::same_bits(one.steps[s].values, four.steps[s].values));
  }
}

}  // namespace
}  // namespace mha
