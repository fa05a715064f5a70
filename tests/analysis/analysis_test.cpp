#include <cmath>
#include <limits>
#include <numeric>

#include "mha/analysis/accumulator.hpp"
#include "mha/analysis/cell_maps.hpp"
#include "mha/analysis/cost.hpp"
#include "mha/analysis/dense_weights.hpp"
#include "mha/analysis/head_label.hpp"
#include "mha/analysis/row_capture.hpp"
#include "mha/attention/precomputed.hpp"
#include "mha/attention/stack.hpp"

#include "support/catch.hpp"
#include "support/collect.hpp"

namespace mha {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// One layer of known weights as a row source.
PrecomputedAttention known(std::size_t n_heads, const AttentionShape& shape,
                           std::vector<float> weights, MaskRule mask = {}) {
  PrecomputedLayer layer;
  layer.n_heads = n_heads;
  layer.shape = shape;
  layer.weights = FloatStorage(FloatVector(weights.begin(), weights.end()));
  layer.mask = std::move(mask);
  std::vector<PrecomputedLayer> layers;
  layers.push_back(std::move(layer));
  return PrecomputedAttention(std::move(layers));
}

HeadScores stats_of(const RowSource& source) {
  Analysis analysis(source, {{0, 0}});
  HeadScoresAccumulator stats(1);
  analysis.attach(&stats);
  analysis.run({});
  return stats.scores(0);
}

TEST_CASE("a perfect previous-token head on four tokens scores exactly one") {
  const auto source = known(1, {4, 4, false},
                            {1, 0, 0, 0,  //
                             1, 0, 0, 0,  //
                             0, 1, 0, 0,  //
                             0, 0, 1, 0});
  const HeadScores stats = stats_of(source);
  CHECK(stats[MeanScore::kPrevious].mean() == 1.0);
  CHECK(stats[MeanScore::kPrevious].rows == 3);
  CHECK(stats[MeanScore::kSelf].mean() == 0.25);
  CHECK(stats[MeanScore::kSelf].rows == 4);
  CHECK(stats[MeanScore::kNext].mean() == 0.0);
  CHECK(stats[MeanScore::kNext].rows == 3);
  CHECK(stats[MeanScore::kFirstToken].mean() == Approx(1.0 / 3));  // rows 1 to 3
  CHECK(stats[MeanScore::kFirstToken].rows == 3);
  CHECK(stats[MeanScore::kEntropy].mean() == 0.0);
  CHECK(stats[MeanScore::kDistance].mean() == 0.75);
  CHECK(label_head(stats, default_thresholds(), false).name == "previous");
}

TEST_CASE("a uniform causal head has a normalised entropy of one over the rows that can choose") {
  MaskRule causal;
  causal.causal = true;
  const float third = 1.0F / 3;
  const auto source =
      known(1, {3, 3, false}, {1, 0, 0, 0.5F, 0.5F, 0, third, third, third}, causal);
  const HeadScores stats = stats_of(source);
  CHECK(stats[MeanScore::kNormalisedEntropy].rows == 2);
  CHECK(stats[MeanScore::kNormalisedEntropy].mean() == Approx(1.0).epsilon(1e-6));
  CHECK(stats[MeanScore::kEntropy].mean() ==
        Approx((std::log(2.0) + std::log(3.0)) / 3).epsilon(1e-6));
  CHECK(stats.masked_cells == 3);
  CHECK(stats[MeanScore::kNext].rows == 0);  // the next key is never allowed
}

TEST_CASE("padding, fully masked and non-finite rows are counted and left out of every mean") {
  MaskRule mask;
  mask.valid_keys = {0, 1, 1, 1};
  mask.mask = {1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  const auto source = known(1, {4, 4, false},
                            {0, 1, 0, 0,           // query 0 is padding
                             0, 0, 0, 0,           // fully masked
                             0, kNaN, kNaN, kNaN,  // not finite
                             0, 0, 1, 0},
                            mask);
  const HeadScores stats = stats_of(source);
  CHECK(stats[MeanScore::kEntropy].rows == 1);
  CHECK(stats[MeanScore::kPrevious].rows == 1);
  CHECK(stats[MeanScore::kPrevious].mean() == 1.0);
  CHECK(stats.padding_rows == 1);
  CHECK(stats.fully_masked_rows == 1);
  CHECK(stats.non_finite_cells == 3);
  CHECK(stats.masked_cells == 1 + 4 + 1 + 1);
}

TEST_CASE("in cross-attention everything positional has no rows") {
  const auto source = known(1, {2, 3, true}, {1, 0, 0, 0, 0.5F, 0.5F});
  const HeadScores stats = stats_of(source);
  CHECK(stats[MeanScore::kEntropy].rows == 2);
  CHECK(stats[MeanScore::kDistance].rows == 0);
  CHECK(stats[MeanScore::kPrevious].rows == 0);
  CHECK(stats[MeanScore::kFirstToken].rows == 0);
}

TEST_CASE("fewer queries than keys stand at the last positions") {
  const auto source = known(1, {2, 4, false}, {0, 1, 0, 0, 0, 0, 1, 0});
  const HeadScores stats = stats_of(source);
  CHECK(stats[MeanScore::kPrevious].mean() == 1.0);  // query 0 stands at position 2
  CHECK(stats[MeanScore::kFirstToken].rows == 2);
}

TEST_CASE("statistics have the same bits for every thread count and block size") {
  AttentionStack::Input input;
  input.x = test::random_matrix(90, 16, 1);
  AttentionLayer layer;
  layer.layout = {4, 4, 4, 4};
  layer.weights.qkv.weight = test::random_matrix(16, 48, 2);
  input.layers.push_back(std::move(layer));
  const AttentionStack stack(std::move(input));
  const auto entropy = [&stack](std::size_t threads) {
    Analysis analysis(stack, {{0, 2}});
    HeadScoresAccumulator stats(1);
    analysis.attach(&stats);
    StreamOptions options;
    options.n_threads = threads;
    options.block_rows = 7;
    analysis.run(options);
    return stats.scores(0)[MeanScore::kEntropy].sum.value();
  };
  CHECK(entropy(1) == entropy(2));
  CHECK(entropy(1) == entropy(5));
}

TEST_CASE(
    "maximum pooling keeps the brightest allowed weight of each cell, mean pooling the mean") {
  MaskRule causal;
  causal.causal = true;
  const auto source = known(1, {4, 4, false},
                            {1, 0, 0, 0,               //
                             0.25F, 0.75F, 0, 0,       //
                             0.5F, 0.125F, 0.375F, 0,  //
                             0, 0, 0.0625F, 0.9375F},
                            causal);
  Analysis analysis(source, {{0, 0}});
  CellMapsAccumulator largest(analysis, {2, 0, PoolKind::kMax});
  CellMapsAccumulator mean(analysis, {2, 0, PoolKind::kMean});
  analysis.attach(&largest);
  analysis.attach(&mean);
  analysis.run({});
  const CellMap max_map = largest.take(0);
  CHECK(max_map.values == std::vector<float>{1, 0, 0.5F, 0.9375F});
  CHECK(max_map.cells ==
        std::vector<MapCell>{MapCell::kValue, MapCell::kMasked, MapCell::kValue, MapCell::kValue});
  const CellMap mean_map = mean.take(0);
  CHECK(mean_map.values[0] == Approx(2.0 / 3));
  CHECK(mean_map.values[2] == Approx(0.625 / 4));
  CHECK(mean_map.values[3] == Approx(1.375 / 3));
}

TEST_CASE("pooled maps do not depend on how rows were split into blocks") {
  AttentionStack::Input input;
  input.x = test::random_matrix(101, 8, 3);
  AttentionLayer layer;
  layer.layout = {2, 2, 4, 4};
  layer.weights.qkv.weight = test::random_matrix(8, 24, 4);
  input.layers.push_back(std::move(layer));
  const AttentionStack stack(std::move(input));
  const auto map = [&stack](std::size_t block_rows, std::size_t threads, PoolKind kind) {
    Analysis analysis(stack, {{0, 1}});
    CellMapsAccumulator maps(analysis, {7, 1, kind});
    analysis.attach(&maps);
    StreamOptions options;
    options.block_rows = block_rows;
    options.n_threads = threads;
    analysis.run(options);
    return maps.take(0);
  };
  for (PoolKind kind : {PoolKind::kMax, PoolKind::kMean}) {
    const CellMap whole = map(101, 1, kind);
    const CellMap split = map(101, 4, kind);
    CHECK(whole.rows == 15);
    CHECK(whole.cols == 15);  // 100 keys without the first
    CHECK(whole.values == split.values);
    const CellMap small = map(10, 3, kind);
    for (std::size_t i = 0; i < whole.values.size(); ++i) {
      REQUIRE(std::fabs(small.values[i] - whole.values[i]) < 1e-6F);
    }
  }
}

// Needs whole rows and keeps nothing: forces the engine to make them.
class NeedsRows : public Accumulator {
 public:
  void add(std::size_t, const RowBlock&) override {}
};

TEST_CASE("maps pooled tile by tile equal maps pooled from whole rows, for every mask and block") {
  struct Case {
    const char* name;
    std::size_t n;
    void (*change)(AttentionRule*, std::size_t);
  };
  const Case cases[] = {
      {"plain", 700, [](AttentionRule*, std::size_t) {}},
      {"causal", 1100, [](AttentionRule* rule, std::size_t) { rule->mask.causal = true; }},
      {"window", 900,
       [](AttentionRule* rule, std::size_t) {
         rule->mask.causal = true;
         rule->mask.window = 130;
       }},
      {"valid keys, softcap, bias", 600,
       [](AttentionRule* rule, std::size_t n) {
         rule->mask.valid_keys.assign(n, 1);
         std::fill_n(rule->mask.valid_keys.begin(), 550, std::uint8_t{0});
         rule->softcap = 2;
         rule->bias_heads = 1;
         rule->bias.assign(n * n, 0.5F);
         rule->bias[3 * n + 570] = -std::numeric_limits<float>::infinity();
       }},
      {"mask, alibi", 530,
       [](AttentionRule* rule, std::size_t n) {
         rule->mask.mask.assign(n * n, 1);
         for (std::size_t i = 0; i < n * n; i += 3) rule->mask.mask[i] = 0;
         std::fill_n(rule->mask.mask.begin() + static_cast<std::ptrdiff_t>(2 * n), n,
                     std::uint8_t{0});
         rule->position = PositionKind::kAlibi;
       }},
  };
  for (const Case& c : cases) {
    DYNAMIC_SECTION(c.name) {
      AttentionStack::Input input;
      input.x = test::random_matrix(c.n, 8, 3);
      AttentionLayer layer;
      layer.layout = {2, 1, 4, 4};
      c.change(&layer.rule, c.n);
      layer.weights.qkv.weight = test::random_matrix(8, 16, 4);
      input.layers.push_back(std::move(layer));
      const AttentionStack stack(std::move(input));
      for (const MapWindow& window :
           {MapWindow{7, 0, PoolKind::kMax}, MapWindow{7, 1, PoolKind::kMean},
            MapWindow{1, 0, PoolKind::kMax}, MapWindow{64, 1, PoolKind::kMax}}) {
        const auto run = [&](bool whole_rows, StreamOptions options, std::vector<Matrix>* outputs) {
          Analysis analysis(stack, {{0, 1}});
          CellMapsAccumulator maps(analysis, window);
          NeedsRows needs_rows;
          analysis.attach(&maps);
          if (whole_rows) analysis.attach(&needs_rows);
          options.outputs = outputs;
          analysis.run(options);
          return maps.take(0);
        };
        std::vector<Matrix> whole_output, tiled_output;
        const CellMap whole = run(true, {}, &whole_output);
        StreamOptions one;
        one.n_threads = 1;
        const CellMap tiled = run(false, one, &tiled_output);
        REQUIRE(whole.cells == tiled.cells);
        for (std::size_t i = 0; i < whole.values.size(); ++i) {
          REQUIRE(std::fabs(whole.values[i] - tiled.values[i]) < 1e-6F);
        }
        for (std::size_t i = 0; i < c.n; ++i) {
          for (std::size_t d = 0; d < 8; ++d) {
            REQUIRE(std::fabs(whole_output[0](i, d) - tiled_output[0](i, d)) < 1e-5F);
          }
        }
        StreamOptions many;
        many.n_threads = 3;
        REQUIRE(run(false, many, nullptr).values == tiled.values);
        many.block_rows = 37;
        const CellMap small_blocks = run(false, many, nullptr);
        for (std::size_t i = 0; i < whole.values.size(); ++i) {
          REQUIRE(std::fabs(whole.values[i] - small_blocks.values[i]) < 1e-6F);
        }
      }
    }
  }
}

TEST_CASE("a cell with a weight that is not finite is not finite, whatever comes after it") {
  const auto source = known(1, {2, 2, false}, {kNaN, kNaN, 0.5F, 0.5F});
  Analysis analysis(source, {{0, 0}});
  CellMapsAccumulator maps(analysis, {2, 0, PoolKind::kMax});
  analysis.attach(&maps);
  analysis.run({});
  CHECK(std::isnan(maps.take(0).values[0]));
}

TEST_CASE("missing cells, masked cells and fully masked rows are told apart") {
  PrecomputedLayer layer;
  layer.n_heads = 1;
  layer.shape = {3, 3, false};
  layer.weights = FloatStorage(FloatVector{1, 0, 0, 0.5F, 0.5F, 0, 0, 0, 0});
  layer.missing = {0, 1, 1, 0, 0, 1, 0, 0, 0};
  layer.mask.causal = false;
  std::vector<PrecomputedLayer> layers;
  layers.push_back(std::move(layer));
  const PrecomputedAttention source(std::move(layers));
  Analysis analysis(source, {{0, 0}});
  CellMapsAccumulator maps(analysis, {});
  RowCapture capture(1, 1);
  DenseWeights dense(analysis);
  analysis.attach(&maps);
  analysis.attach(&capture);
  analysis.attach(&dense);
  analysis.run({});
  const CellMap map = maps.take(0);
  CHECK(map.cells[0] == MapCell::kValue);
  CHECK(map.cells[1] == MapCell::kMissing);
  CHECK(map.cells[6] == MapCell::kFullyMasked);
  CHECK(capture.row(0).cells ==
        std::vector<MapCell>{MapCell::kValue, MapCell::kValue, MapCell::kMissing});
  CHECK(std::isnan(dense.head(0)(0, 1)));
  CHECK(dense.head(0)(1, 1) == 0.5F);
}

TEST_CASE("the mean head is the mean over the heads of its layer") {
  const auto source = known(2, {2, 2, false}, {1, 0, 0.5F, 0.5F, 0, 1, 0, 1});
  Analysis analysis(source, {{0, HeadSlot::kMean}, {0, 1}});
  DenseWeights dense(analysis);
  analysis.attach(&dense);
  analysis.run({});
  CHECK(dense.head(0)(0, 0) == 0.5F);
  CHECK(dense.head(0)(0, 1) == 0.5F);
  CHECK(dense.head(0)(1, 0) == 0.25F);
  CHECK(dense.head(0)(1, 1) == 0.75F);
  CHECK(dense.head(1)(0, 1) == 1.0F);
}

TEST_CASE("splitting d_model over heads keeps the multiply-adds and multiplies the softmax rows") {
  const AttentionShape shape{10, 10, false};
  const HeadLayout heads{4, 4, 16, 16};
  const auto many = layer_cost(heads, shape, 64, 64, 64);
  const auto one = layer_cost(full_width_head(heads), shape, 64, 64, 64);
  REQUIRE(many.size() == one.size());
  for (std::size_t s = 0; s < many.size(); ++s) {
    if (many[s].stage == "softmax") {
      CHECK(many[s].multiply_adds == 4 * one[s].multiply_adds);
    } else {
      CHECK(many[s].multiply_adds == one[s].multiply_adds);
    }
  }
  CHECK(many[0].multiply_adds == 10 * 64 * 192);
  CHECK(many[1].multiply_adds == 4 * 10 * 10 * 16);
  CHECK(many[4].multiply_adds == 10 * 64 * 64);
}

TEST_CASE("known weights are checked: rows must sum to one, tiny negatives become zero") {
  CHECK_THROWS_WITH(known(1, {1, 2, false}, {0.5F, 0.4F}),
                    "L0H0 query 0 sums to 0.9; expected 1 within 0.001");
  CHECK_THROWS_WITH(known(1, {1, 2, false}, {3, -2}),
                    "L0H0 query 0 key 0 holds 3; expected a weight from 0 to 1");
  const auto clamped = known(1, {1, 2, false}, {1.0F, -1e-9F});
  REQUIRE(clamped.notes().size() == 1);
  CHECK(clamped.notes()[0] == "layer 0: 1 weights just below zero were taken as zero");
  MaskRule causal;
  causal.causal = true;
  const auto leaking = known(1, {2, 2, false}, {0.75F, 0.25F, 0.5F, 0.5F}, causal);
  REQUIRE(leaking.notes().size() == 1);
  CHECK(leaking.notes()[0] ==
        "layer 0: L0H0 query 0 has a weight of 0.25 where the declared mask allows none; the mask "
        "is ignored");
  CHECK(leaking.layers()[0].mask->empty());
}

}  // namespace
}  // namespace mha
