#include "mha/analysis/contribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/analysis/cell_maps.hpp"
#include "mha/analysis/dense_weights.hpp"
#include "mha/analysis/value_norms.hpp"
#include "mha/attention/precomputed.hpp"
#include "mha/attention/qkv_layers.hpp"

#include "stacks.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"

namespace mha {
namespace {

constexpr double kTolerance = 2e-5;  // of floats through up to three layers

class NoRows : public RowSink {
 public:
  void add(const RowBlock& block) override { (void)block; }
};

void observe(const RowSource& source, LayerObserver* observer) {
  NoRows rows;
  StreamOptions options;
  options.observers = {observer};
  source.stream(rows, options);
}

// A difference relative to `size` where that is large.
bool is_near(float got, double expected, double size = 1) {
  return std::fabs(static_cast<double>(got) - expected) <= kTolerance * std::max(1.0, size);
}

TEST_CASE("the norm of each transformed value is that of a direct evaluation") {
  for (const test::StackKind& kind : test::stack_kinds()) {
    DYNAMIC_SECTION(kind.name) {
      const AttentionStack stack(test::stack_input(kind));
      const auto truth = test::stack_truth(stack.input());
      ValueNorms norms;
      observe(stack, &norms);
      for (std::size_t l = 0; l < kind.n_layers; ++l) {
        const ConstMatrix got = norms.layer(l);
        REQUIRE(got.rows == kind.layout.n_heads);
        REQUIRE(got.cols == stack.layers()[l].shape.n_key);
        for (std::size_t h = 0; h < got.rows; ++h) {
          for (std::size_t j = 0; j < got.cols; ++j) {
            const double expected = std::sqrt(test::inner(truth[l].f[h][j], truth[l].f[h][j]));
            REQUIRE(is_near(got(h, j), expected, expected));
          }
        }
      }
    }
  }
}

TEST_CASE("scaled rows are weights times norms, and pool into the maximum of their cells") {
  for (const test::StackKind& kind : test::stack_kinds()) {
    DYNAMIC_SECTION(kind.name) {
      const AttentionStack stack(test::stack_input(kind));
      const std::size_t last = kind.n_layers - 1;
      const auto truth = test::stack_truth(stack.input())[last];
      Analysis analysis(stack, {{last, 3}}, {1, 6});
      ValueNorms norms;
      DenseWeights dense(analysis);
      CellMapsAccumulator maps(analysis, {2, 0, PoolKind::kMax});
      ScaledRows scaled(analysis, norms, &dense);
      ScaledRows scaled_maps(analysis, norms, &maps);
      analysis.attach(&scaled);
      analysis.attach(&scaled_maps);
      StreamOptions options;
      options.observers = {&norms};
      analysis.run(options);
      const CellMap map = maps.take(0);
      for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < dense.head(0).cols; ++j) {
          const double norm = std::sqrt(test::inner(truth.f[3][j], truth.f[3][j]));
          REQUIRE(is_near(dense.head(0)(i, j), truth.a[3][i + 1][j] * norm, norm));
          REQUIRE(map.values[i / 2 * map.cols + j / 2] >= dense.head(0)(i, j));
        }
      }
    }
  }
}

TEST_CASE("the mean of scaled rows over a cell is the mean of weights times norms") {
  const AttentionStack stack(test::stack_input({"", 1, false, {4, 2, 3, 2}, false, true, false}));
  const auto truth = test::stack_truth(stack.input())[0];
  Analysis analysis(stack, {{0, 1}});
  ValueNorms norms;
  CellMapsAccumulator maps(analysis, {7, 0, PoolKind::kMean});
  ScaledRows scaled(analysis, norms, &maps);
  analysis.attach(&scaled);
  StreamOptions options;
  options.observers = {&norms};
  analysis.run(options);
  double sum = 0;
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = 0; j < 7; ++j) {
      sum += truth.a[1][i][j] * std::sqrt(test::inner(truth.f[1][j], truth.f[1][j]));
    }
  }
  CHECK(is_near(maps.take(0).values[0], sum / 49));
}

// Two tokens with values `w_v` and `w_v * second`, behind a causal mask; all scores are zero.
AttentionStack two_tokens(float second, float w_v) {
  AttentionStack::Input input;
  input.x = Matrix(2, 1, {1, second});
  AttentionLayer layer;
  layer.layout = {1, 1, 1, 1};
  layer.rule.mask.causal = true;
  layer.weights.qkv.weight = Matrix(1, 3, {0, 0, w_v});
  input.layers.push_back(std::move(layer));
  return AttentionStack(std::move(input));
}

// The map of scaled rows of the one head of `stack`.
CellMap scaled_map(const AttentionStack& stack, const MapWindow& window) {
  Analysis analysis(stack, {{0, 0}});
  ValueNorms norms;
  CellMapsAccumulator maps(analysis, window);
  ScaledRows scaled(analysis, norms, &maps);
  analysis.attach(&scaled);
  StreamOptions options;
  options.observers = {&norms};
  analysis.run(options);
  return maps.take(0);
}

TEST_CASE("a value that is not finite does not reach the queries that may not see it") {
  const AttentionStack stack = two_tokens(2, 3e38F);  // the second overflows
  const CellMap map = scaled_map(stack, {1, 0, PoolKind::kMax});
  CHECK(map.values[0] == 3e38F);
  CHECK(map.values[1] == 0);
  CHECK_FALSE(std::isfinite(map.values[3]));
  const Matrix layer_map = layer_maps(stack, {0}, {})[0];
  CHECK(layer_map(0, 0) == 3e38F);
  CHECK(layer_map(0, 1) == 0);
  CHECK_FALSE(std::isfinite(layer_map(1, 1)));
}

TEST_CASE("values too large for sums of pools are refused there, and drawn by their maximum") {
  const AttentionStack stack = two_tokens(1, 1e10F);
  CHECK(test::error_of([&] {
          scaled_map(stack, {2, 0, PoolKind::kMean});
        }) ==
        "L0H0: values of norm 1e+10 are too large for the mean over 2x2 weights\n"
        "hint: pool by the maximum");
  CHECK(scaled_map(stack, {2, 0, PoolKind::kMax}).values[0] == 1e10F);
}

TEST_CASE("norm-based maps are refused for the mean over heads and without values") {
  const AttentionStack stack = two_tokens(1, 1);
  Analysis analysis(stack, {{0, HeadSlot::kMean}});
  const ValueNorms norms;
  CHECK(test::error_of([&] { ScaledRows(analysis, norms, nullptr); }) ==
        "layer 0: a norm-based map is of one head, not of the mean\nhint: choose single heads");
  CHECK(test::error_of([&] { norms.layer(0); }) ==
        "layer 0: the norms of values need V, which this input does not have");
  CHECK(test::error_of([&] { Contributions().layer(0); }) ==
        "layer 0: contributions of heads need V, which this input does not have");
  PrecomputedLayer known;
  known.n_heads = 1;
  known.shape = {1, 1, false};
  known.weights = FloatStorage(FloatVector{1});
  std::vector<PrecomputedLayer> layers;
  layers.push_back(std::move(known));
  const PrecomputedAttention source(std::move(layers));
  CHECK(test::error_of([&] { layer_maps(source, {0}, {}); }) ==
        "the norm of the sum over heads needs V, which this input does not have");
}

TEST_CASE("the layer map is the norm of the sum over heads") {
  for (const test::StackKind& kind : test::stack_kinds()) {
    DYNAMIC_SECTION(kind.name) {
      const AttentionStack stack(test::stack_input(kind));
      const auto truth = test::stack_truth(stack.input());
      const std::vector<std::size_t> layers =
          kind.n_layers == 3 ? std::vector<std::size_t>{2, 1} : std::vector<std::size_t>{0};
      StreamOptions options;
      options.n_threads = 1;
      const std::vector<Matrix> maps = layer_maps(stack, layers, options);
      REQUIRE(maps.size() == layers.size());
      for (std::size_t m = 0; m < maps.size(); ++m) {
        const test::LayerTruth& layer = truth[layers[m]];
        for (std::size_t i = 0; i < maps[m].rows(); ++i) {
          for (std::size_t j = 0; j < maps[m].cols(); ++j) {
            std::vector<double> sum(layer.y[0].size());
            for (std::size_t h = 0; h < layer.a.size(); ++h) {
              for (std::size_t c = 0; c < sum.size(); ++c) {
                sum[c] += layer.a[h][i][j] * layer.f[h][j][c];
              }
            }
            REQUIRE(is_near(maps[m](i, j), std::sqrt(test::inner(sum, sum)), 4));
          }
        }
      }
      options.n_threads = 3;
      CHECK(test::same_bits(layer_maps(stack, layers, options)[0], maps[0]));
    }
  }
}

TEST_CASE("a layer map of too many weights is refused with their number") {
  AttentionStack::Input input = two_tokens(1, 1).input();
  input.x = test::random_matrix(12000, 1, 3);
  const AttentionStack stack(std::move(input));
  CHECK(test::error_of([&] { layer_maps(stack, {0}, {}); }) ==
        "layer 0: the norm of the sum over heads needs all weights at once; expected at most "
        "134217728, got 1x12000x12000 = 144000000\n"
        "hint: use a shorter input, or the norm-based maps of single heads");
}

TEST_CASE("shares and ablations are those of a direct evaluation, and shares add up to one") {
  for (const test::StackKind& kind : test::stack_kinds()) {
    DYNAMIC_SECTION(kind.name) {
      const AttentionStack stack(test::stack_input(kind));
      const auto truth = test::stack_truth(stack.input());
      Contributions contributions;
      observe(stack, &contributions);
      for (std::size_t l = 0; l < kind.n_layers; ++l) {
        const LayerContributions& got = contributions.layer(l);
        for (std::size_t i = 0; i < truth[l].y.size(); ++i) {
          const std::vector<double>& y = truth[l].y[i];
          double total = 0;
          for (std::size_t h = 0; h < kind.layout.n_heads; ++h) {
            const std::vector<double>& o = truth[l].o[h][i];
            const double share = test::inner(o, y) / test::inner(y, y);
            const double ablation = std::sqrt(test::inner(o, o) / test::inner(y, y));
            REQUIRE(is_near(got.share(h, i), share, 4 * ablation * ablation));
            REQUIRE(is_near(got.ablation(h, i), ablation, 4 * ablation * ablation));
            total += static_cast<double>(got.share(h, i));
          }
          REQUIRE(std::fabs(total - 1) < 1e-6);
        }
      }
    }
  }
}

TEST_CASE("a query whose output is zero has no contributions") {
  AttentionStack::Input input = two_tokens(1, 1).input();
  input.layers[0].rule.mask.mask = {0, 0, 1, 1};
  const AttentionStack stack(std::move(input));
  Contributions contributions;
  observe(stack, &contributions);
  CHECK(std::isnan(contributions.layer(0).share(0, 0)));
  CHECK(std::isnan(contributions.layer(0).ablation(0, 0)));
  CHECK(contributions.layer(0).share(0, 1) == 1);
  CHECK(contributions.layer(0).ablation(0, 1) == 1);
}

TEST_CASE("known Q, K and V give the same contributions as the stack that makes them") {
  AttentionStack::Input input = two_tokens(3, 1).input();
  const AttentionStack stack(input);
  QkvLayer layer;
  layer.layout = {1, 1, 1, 1};
  layer.shape = {2, 2, false};
  layer.rule.mask.causal = true;
  layer.q_data = layer.k_data = FloatStorage(FloatVector{0, 0});
  layer.v_data = FloatStorage(FloatVector{1, 3});
  layer.q = layer.k = {layer.q_data.data(), 2, 1, 1, 1};
  layer.v = {layer.v_data.data(), 2, 1, 1, 1};
  std::vector<QkvLayer> layers;
  layers.push_back(std::move(layer));
  const QkvLayers known(std::move(layers));
  CHECK(test::same_bits(layer_maps(known, {0}, {})[0], layer_maps(stack, {0}, {})[0]));
  Contributions contributions;
  observe(known, &contributions);
  CHECK(contributions.layer(0).share(0, 1) == 1);
}

TEST_CASE("norms and contributions have the same bits for every thread count") {
  test::StackKind kind{"", 3, true, {4, 2, 3, 2}, false, true, true};
  AttentionStack::Input input = test::stack_input(kind);
  input.x = test::random_matrix(700, 8, 5);
  const AttentionStack stack(std::move(input));
  const auto run = [&stack](std::size_t threads, ValueNorms* norms, Contributions* contributions) {
    NoRows rows;
    StreamOptions options;
    options.n_threads = threads;
    options.observers = {norms, contributions};
    stack.stream(rows, options);
  };
  ValueNorms norms_1(1), norms_5(5);
  Contributions contributions_1(1), contributions_5(5);
  run(1, &norms_1, &contributions_1);
  run(5, &norms_5, &contributions_5);
  for (std::size_t l = 0; l < 3; ++l) {
    CHECK(test::same_bits(contributions_1.layer(l).share, contributions_5.layer(l).share));
    CHECK(test::same_bits(contributions_1.layer(l).ablation, contributions_5.layer(l).ablation));
    CHECK(std::ranges::equal(norms_1.layer(l).row(3), norms_5.layer(l).row(3)));
  }
}

// Two heads whose W_V reads dimensions (0, 1) and (2, 3); W_O^h is `circuit` (2, 2) into the same.
AttentionLayer circuit_layer(const std::vector<float>& circuit) {
  AttentionLayer layer;
  layer.layout = {2, 2, 1, 2};
  Matrix qkv(4, 8);
  Matrix o(4, 4);
  std::fill_n(qkv.data(), 32, 0.0F);
  std::fill_n(o.data(), 16, 0.0F);
  for (std::size_t d = 0; d < 4; ++d) qkv(d, 4 + d) = 1;
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t c = 0; c < 2; ++c) o(r, r / 2 * 2 + c) = circuit[r % 2 * 2 + c];
  }
  layer.weights.qkv.weight = std::move(qkv);
  layer.weights.o.weight = std::move(o);
  return layer;
}

TEST_CASE("the copying score of the identity is 1, of its negative -1, of a quarter turn 0") {
  for (std::size_t head : {0, 1}) {
    CHECK(*copying_scores(circuit_layer({1, 0, 0, 1}), 1)[head].value == Approx(1));
    CHECK(*copying_scores(circuit_layer({-1, 0, 0, -1}), 1)[head].value == Approx(-1));
    CHECK(std::fabs(*copying_scores(circuit_layer({0, 1, -1, 0}), 1)[head].value) < 1e-12);
    CHECK(*copying_scores(circuit_layer({3, 0, 0, -1}), 2)[head].value == Approx(0.5));
  }
}

TEST_CASE("the copying score of a random two-wide circuit follows from its trace and determinant") {
  const test::StackKind kind{"", 1, false, {4, 2, 3, 2}, false, true, false};
  const AttentionStack::Input input = test::stack_input(kind);
  const AttentionLayer& layer = input.layers[0];
  const std::vector<CopyingScore> scores = copying_scores(layer, 2);
  for (std::size_t h = 0; h < 4; ++h) {
    double m[2][2] = {};
    for (std::size_t a = 0; a < 2; ++a) {
      for (std::size_t b = 0; b < 2; ++b) {
        for (std::size_t d = 0; d < 8; ++d) {
          // Q has 12 columns, K 6, V 4.
          m[a][b] += static_cast<double>(layer.weights.o.weight(2 * h + a, d)) *
                     static_cast<double>(layer.weights.qkv.weight(d, 18 + h / 2 * 2 + b));
        }
      }
    }
    const double trace = m[0][0] + m[1][1];
    const double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    const double inside = trace * trace / 4 - det;
    const double size = inside < 0 ? 2 * std::sqrt(det)
                                   : std::fabs(trace / 2 + std::sqrt(inside)) +
                                         std::fabs(trace / 2 - std::sqrt(inside));
    CHECK(*scores[h].value == Approx(trace / size).margin(1e-5));
  }
}

TEST_CASE("where there is no copying score the reason is given") {
  AttentionLayer layer = circuit_layer({0, 0, 0, 0});
  CHECK_FALSE(copying_scores(layer, 1)[0].value);
  CHECK(copying_scores(layer, 1)[1].reason == "all eigenvalues of W_O W_V are zero");
  layer.weights.o.weight(0, 0) = std::numeric_limits<float>::infinity();
  CHECK(copying_scores(layer, 1)[0].reason == "W_O W_V is not finite");
  layer.weights.o.weight = Matrix(4, 3);
  CHECK(copying_scores(layer, 1)[0].reason ==
        "the output is not as wide as what the values are computed from: 3 and 4");
  layer.weights.o.weight = {};
  CHECK(copying_scores(layer, 1)[0].reason == "the layer has no W_O");
}

}  // namespace
}  // namespace mha
