#include "mha/analysis/similarity.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "mha/attention/precomputed.hpp"
#include "mha/attention/row_kernels.hpp"
#include "mha/attention/stack.hpp"

#include "support/catch.hpp"
#include "support/collect.hpp"
#include "support/oracle.hpp"

namespace mha {
namespace {

constexpr float kNoWeight = std::numeric_limits<float>::quiet_NaN();

PrecomputedLayer known_layer(std::size_t n_heads, const AttentionShape& shape,
                             const FloatVector& weights, MaskRule mask = {}) {
  PrecomputedLayer layer;
  layer.n_heads = n_heads;
  layer.shape = shape;
  layer.weights = FloatStorage(FloatVector(weights));
  layer.mask = std::move(mask);
  return layer;
}

PrecomputedAttention known_attention(std::size_t n_heads, const AttentionShape& shape,
                                     const FloatVector& weights, MaskRule mask = {}) {
  std::vector<PrecomputedLayer> layers;
  layers.push_back(known_layer(n_heads, shape, weights, std::move(mask)));
  return PrecomputedAttention(std::move(layers));
}

std::vector<HeadSlot> all_heads(const RowSource& source) {
  std::vector<HeadSlot> slots;
  for (std::size_t l = 0; l < source.layers().size(); ++l) {
    for (std::size_t h = 0; h < source.layers()[l].n_heads; ++h) slots.push_back({l, h});
  }
  return slots;
}

HeadDistances distances_of(const RowSource& source, const SimilarityOptions& options = {}) {
  return head_distances(source, all_heads(source), options);
}

// Rows of n_heads heads that obey the mask: peaked, flat and with some weights of exactly zero.
FloatVector random_weights(std::size_t n_heads, const AttentionShape& shape, const MaskRule& mask,
                           unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0, 1);
  AttentionRule rule;
  rule.mask = mask;
  const oracle::Problem problem{shape, {}, &rule, {}, {}, {}, false};
  FloatVector out;
  for (std::size_t row = 0; row < n_heads * shape.n_query; ++row) {
    const double sharpness = 6.0 * static_cast<double>(row % 7) / 7;
    std::vector<double> weights(shape.n_key);
    double sum = 0;
    for (std::size_t j = 0; j < shape.n_key; ++j) {
      const double weight = std::exp(sharpness * normal(engine));
      if (!oracle::is_allowed(problem, row % shape.n_query, j)) continue;
      weights[j] = (row + j) % 5 == 0 && sum > 0 ? 0.0 : weight;
      sum += weights[j];
    }
    for (double w : weights) out.push_back(static_cast<float>(sum > 0 ? w / sum : 0.0));
  }
  return out;
}

// Half of both divergences from the mean, in double precision; NaN where a row does not count.
double row_distance(const float* p, const float* q, std::size_t n) {
  double sum = 0, total_p = 0, total_q = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const auto a = static_cast<double>(p[j]);
    const auto b = static_cast<double>(q[j]);
    const double m = (a + b) / 2;
    if (a > 0) sum += a * std::log(a / m) / 2;
    if (b > 0) sum += b * std::log(b / m) / 2;
    total_p += a;
    total_q += b;
  }
  return total_p > 0 && total_q > 0 ? sum : std::nan("");
}

struct Pair {
  double mean = 0;
  std::uint64_t rows = 0;
};

Pair exact_pair(const FloatVector& weights, const AttentionShape& shape, std::size_t a,
                std::size_t b, const std::vector<std::uint8_t>& valid_keys = {}) {
  Pair out;
  for (std::size_t i = 0; i < shape.n_query; ++i) {
    const std::size_t position = i + shape.n_key - shape.n_query;
    if (!valid_keys.empty() && valid_keys[position] == 0) continue;
    const double distance =
        row_distance(&weights[(a * shape.n_query + i) * shape.n_key],
                     &weights[(b * shape.n_query + i) * shape.n_key], shape.n_key);
    if (std::isnan(distance)) continue;
    out.mean += distance;
    ++out.rows;
  }
  out.mean /= static_cast<double>(out.rows);
  return out;
}

TEST_CASE("identical heads have distance zero and disjoint one-hot heads exactly ln 2") {
  const auto source = known_attention(3, {2, 3, false},
                                      {1, 0, 0, 0, 1, 0,  //
                                       1, 0, 0, 0, 1, 0,  //
                                       0, 0, 1, 0.5F, 0, 0.5F});
  const HeadDistances distances = distances_of(source);
  REQUIRE(distances.n == 3);
  CHECK(distances(0, 1) == 0.0);
  CHECK(distances(0, 2) == std::numbers::ln2);
  CHECK(distances(2, 0) == std::numbers::ln2);
  for (std::size_t h = 0; h < 3; ++h) CHECK(distances(h, h) == 0.0);
  CHECK(distances.rows == std::vector<std::uint64_t>(9, 2));
}

TEST_CASE("a one-hot row beside an even one over two keys has the distance worked out by hand") {
  // m = (3/4, 1/4): H(m) - ln(2) / 2.
  const auto source = known_attention(2, {1, 2, false}, {1, 0, 0.5F, 0.5F});
  const double mixed = -0.75 * std::log(0.75) - 0.25 * std::log(0.25);
  CHECK(distances_of(source)(0, 1) == Approx(mixed - std::numbers::ln2 / 2).margin(1e-7));
}

TEST_CASE("copies of a random head have distance exactly zero") {
  MaskRule causal;
  causal.causal = true;
  const AttentionShape shape{37, 37, false};
  FloatVector weights = random_weights(1, shape, causal, 5);
  const FloatVector once = weights;
  weights.insert(weights.end(), once.begin(), once.end());
  CHECK(distances_of(known_attention(2, shape, weights, causal))(0, 1) == 0.0);
}

TEST_CASE("distances agree with double precision for every mask, chunk size and thread count") {
  struct Case {
    const char* name;
    AttentionShape shape;
    void (*change)(MaskRule*);
  };
  const Case cases[] = {
      {"no mask", {90, 90, false}, [](MaskRule*) {}},
      {"fewer queries, causal", {70, 85, false}, [](MaskRule* mask) { mask->causal = true; }},
      {"window", {90, 90, false}, [](MaskRule* mask) { mask->window = 9; }},
      {"causal window",
       {133, 133, false},
       [](MaskRule* mask) {
         mask->causal = true;
         mask->window = 20;
       }},
      {"valid keys",
       {80, 80, false},
       [](MaskRule* mask) {
         mask->valid_keys.assign(80, 1);
         for (std::size_t j : {0, 1, 2, 40, 79}) mask->valid_keys[j] = 0;
       }},
      {"cross-attention", {30, 50, true}, [](MaskRule*) {}},
  };
  constexpr std::size_t kHeads = 11;
  for (const Case& c : cases) {
    DYNAMIC_SECTION(c.name) {
      MaskRule mask;
      c.change(&mask);
      const FloatVector weights = random_weights(kHeads, c.shape, mask, 17);
      const auto source = known_attention(kHeads, c.shape, weights, mask);
      REQUIRE(source.notes().empty());
      const HeadDistances distances = distances_of(source);
      for (std::size_t a = 0; a < kHeads; ++a) {
        for (std::size_t b = 0; b < kHeads; ++b) {
          const Pair exact = exact_pair(weights, c.shape, a, b, mask.valid_keys);
          REQUIRE(distances(a, b) == Approx(exact.mean).margin(5e-7));
          REQUIRE(distances.rows[a * kHeads + b] == exact.rows);
        }
      }
      for (std::size_t n_threads : {1, 2, 5}) {
        for (std::size_t max_bytes : {std::size_t{0}, std::size_t{40000}, std::size_t{1} << 30}) {
          const HeadDistances other = distances_of(source, {{}, n_threads, max_bytes});
          REQUIRE(other.js == distances.js);
          REQUIRE(other.rows == distances.rows);
        }
      }
    }
  }
}

TEST_CASE("rows that are fully masked or not finite are left out for the pairs of their head") {
  const AttentionShape shape{20, 20, false};
  FloatVector weights = random_weights(3, shape, {}, 3);
  std::fill_n(weights.begin() + 4 * 20, 20, 0.0F);              // head 0, query 4
  std::fill_n(weights.begin() + (20 + 7) * 20, 20, kNoWeight);  // head 1, query 7
  weights[(2 * 20 + 9) * 20 + 3] = kNoWeight;                   // head 2, query 9
  const auto source = known_attention(3, shape, weights);
  const HeadDistances distances = distances_of(source);
  for (std::size_t a = 0; a < 3; ++a) {
    CHECK(distances(a, a) == 0.0);
    CHECK(distances.rows[a * 3 + a] == 19);
    for (std::size_t b = 0; b < a; ++b) {
      CHECK(distances(a, b) == Approx(exact_pair(weights, shape, a, b).mean).margin(5e-7));
      CHECK(distances.rows[a * 3 + b] == 18);
    }
  }
}

TEST_CASE("heads without a row that counts have no distance, not even to themselves") {
  const auto source = known_attention(2, {1, 2, false}, {kNoWeight, kNoWeight, 0.5F, 0.5F});
  const HeadDistances distances = distances_of(source);
  CHECK(std::isnan(distances(0, 0)));
  CHECK(std::isnan(distances(0, 1)));
  CHECK(distances(1, 1) == 0.0);
  CHECK(distances.rows == std::vector<std::uint64_t>{0, 0, 0, 1});
}

TEST_CASE("heads of layers with other shapes have no common rows") {
  std::vector<PrecomputedLayer> layers;
  layers.push_back(known_layer(2, {30, 30, false}, random_weights(2, {30, 30, false}, {}, 1)));
  layers.push_back(known_layer(2, {45, 45, false}, random_weights(2, {45, 45, false}, {}, 2)));
  layers.push_back(known_layer(1, {30, 30, true}, random_weights(1, {30, 30, true}, {}, 3)));
  layers.push_back(known_layer(1, {30, 30, false}, random_weights(1, {30, 30, false}, {}, 4)));
  const PrecomputedAttention source(std::move(layers));
  for (std::size_t max_bytes : {std::size_t{0}, std::size_t{1} << 30}) {
    const HeadDistances distances = distances_of(source, {{}, 0, max_bytes});
    CHECK(distances.rows[0 * 6 + 1] == 30);
    CHECK(distances.rows[2 * 6 + 3] == 45);
    CHECK(distances.rows[1 * 6 + 5] == 30);
    for (std::size_t b : {2, 3, 4}) {
      CHECK(std::isnan(distances(0, b)));
      CHECK(distances.rows[b] == 0);
    }
  }
}

TEST_CASE("only the rows of the query range count, in every chunk size") {
  const AttentionShape shape{50, 50, false};
  const FloatVector weights = random_weights(2, shape, {}, 8);
  const auto source = known_attention(2, shape, weights);
  double expected = 0;
  for (std::size_t i = 13; i < 37; ++i) {
    expected += row_distance(&weights[i * 50], &weights[(50 + i) * 50], 50) / 24;
  }
  for (std::size_t max_bytes : {0, 5000, 1000000}) {
    const HeadDistances distances = distances_of(source, {{13, 37}, 0, max_bytes});
    CHECK(distances(0, 1) == Approx(expected).margin(5e-7));
    CHECK(distances.rows[1] == 24);
  }
  CHECK(std::isnan(distances_of(source, {{50, 60}, 0, 0})(0, 1)));
}

TEST_CASE("the mean over a layer is compared like a head, in every chunk size") {
  const AttentionShape shape{40, 40, false};
  const FloatVector weights = random_weights(2, shape, {}, 9);
  const auto source = known_attention(2, shape, weights);
  FloatVector with_mean = weights;
  for (std::size_t i = 0; i < 1600; ++i) with_mean.push_back((weights[i] + weights[1600 + i]) / 2);
  const double expected = exact_pair(with_mean, shape, 1, 2).mean;
  for (std::size_t max_bytes : {0, 5000, 1000000}) {
    const HeadDistances distances =
        head_distances(source, {{0, HeadSlot::kMean}, {0, 1}}, {{}, 0, max_bytes});
    CHECK(distances(0, 1) == Approx(expected).margin(5e-7));
    CHECK(distances.rows[1] == 40);
  }
}

TEST_CASE("distances of computed heads have the same bits for every thread count") {
  AttentionStack::Input input;
  input.x = test::random_matrix(300, 16, 1);
  input.residual = true;
  for (unsigned l = 0; l < 2; ++l) {
    AttentionLayer layer;
    layer.layout = {4, 4, 4, 4};
    layer.rule.mask.causal = true;
    layer.weights.qkv.weight = test::random_matrix(16, 48, 2 + l, 0.5F);
    input.layers.push_back(std::move(layer));
  }
  const AttentionStack stack(std::move(input));
  const HeadDistances one = distances_of(stack, {{}, 1, std::size_t{1} << 30});
  CHECK(distances_of(stack, {{}, 2, std::size_t{1} << 30}).js == one.js);
  CHECK(distances_of(stack, {{}, 5, std::size_t{1} << 30}).js == one.js);
  const HeadDistances chunks = distances_of(stack, {{}, 2, 1 << 20});
  CHECK(chunks.rows == one.rows);
  for (std::size_t i = 0; i < one.js.size(); ++i) {
    REQUIRE(std::fabs(chunks.js[i] - one.js[i]) < 1e-6);
  }
}

TEST_CASE("no heads have no distances") {
  const auto source = known_attention(1, {1, 1, false}, {1});
  const HeadDistances distances = head_distances(source, {}, {});
  CHECK(distances.n == 0);
  CHECK(distances.js.empty());
}

TEST_CASE("the entropy of a mixture agrees with double precision in every kernel") {
  std::mt19937 engine(12);
  std::normal_distribution<float> normal(0, 5);
  for (const RowKernels& kernel : all_row_kernels()) {
    DYNAMIC_SECTION(kernel.name) {
      for (std::size_t n : {0, 1, 2, 3, 4, 5, 15, 16, 17, 100, 1023, 1024, 1025, 5000}) {
        std::vector<float> p(n), q(n);
        for (float& s : p) s = normal(engine);
        for (float& s : q) s = normal(engine);
        kernel.softmax_row(p.data(), n);
        kernel.softmax_row(q.data(), n);
        for (std::size_t j = 0; j < n && n > 3; j += 3) p[j] = q[j] = 0;
        double exact = 0;
        for (std::size_t j = 0; j < n; ++j) {
          const double m = (static_cast<double>(p[j]) + static_cast<double>(q[j])) / 2;
          if (m > 0) exact -= m * std::log(m);
        }
        const double got = kernel.mixture_entropy(p.data(), q.data(), n);
        CHECK(got == Approx(exact).epsilon(1e-6).margin(1e-7));
        CHECK(kernel.mixture_entropy(q.data(), p.data(), n) == got);
      }
      const std::vector<float> broken = {0.5F, kNoWeight, 0.5F};
      const std::vector<float> sound = {0.5F, 0.25F, 0.25F};
      CHECK(std::isnan(kernel.mixture_entropy(broken.data(), sound.data(), 3)));
      CHECK(std::isnan(kernel.mixture_entropy(sound.data(), broken.data(), 3)));
    }
  }
}

}  // namespace
}  // namespace mha
