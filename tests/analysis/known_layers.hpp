// Layers of known weights, and Abar and rollout of them by plain loops.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "mha/attention/precomputed.hpp"

#include "stacks.hpp"

namespace mha::test {

// Each layer's weights are (n_heads, n, n).
inline PrecomputedAttention known_layers(std::size_t n_heads, std::size_t n,
                                         const std::vector<std::vector<float>>& weights) {
  std::vector<PrecomputedLayer> layers;
  for (const std::vector<float>& values : weights) {
    PrecomputedLayer layer;
    layer.n_heads = n_heads;
    layer.shape = {n, n, false};
    layer.weights = FloatStorage(FloatVector(values.begin(), values.end()));
    layers.push_back(std::move(layer));
  }
  return PrecomputedAttention(std::move(layers));
}

// Rows that sum to 1, some weights zero.
inline std::vector<float> random_weights(std::size_t n_heads, std::size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<float> out(n_heads * n * n);
  for (std::size_t row = 0; row < n_heads * n; ++row) {
    float sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const auto value = static_cast<float>(engine() % 5);
      out[row * n + j] = value;
      sum += value;
    }
    for (std::size_t j = 0; j < n && sum > 0; ++j) out[row * n + j] /= sum;
  }
  return out;
}

// (A + I) with rows divided by their sums, A the mean over the heads.
inline Rows mixed(const std::vector<Rows>& heads) {
  const std::size_t n = heads.front().size();
  Rows out = zeros(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      for (const Rows& head : heads) out[i][j] += head[i][j] / static_cast<double>(heads.size());
      if (i == j) out[i][j] += 1;
      sum += out[i][j];
    }
    for (double& value : out[i]) value /= sum;
  }
  return out;
}

inline std::vector<Rows> heads_of(const std::vector<float>& weights, std::size_t n) {
  std::vector<Rows> out(weights.size() / (n * n), zeros(n, n));
  for (std::size_t at = 0; at < weights.size(); ++at) {
    out[at / (n * n)][at / n % n][at % n] = static_cast<double>(weights[at]);
  }
  return out;
}

}  // namespace mha::test
