// Small random stacks, and their layers evaluated in double precision by plain loops.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "mha/attention/stack.hpp"

#include "support/collect.hpp"
#include "support/oracle.hpp"

namespace mha::test {

struct StackKind {
  std::string name;
  std::size_t n_layers = 1;
  bool residual = false;
  HeadLayout layout{4, 2, 3, 2};
  bool is_cross = false;
  bool has_w_o = true;
  bool is_causal = false;
};

inline std::vector<StackKind> stack_kinds() {
  return {
      {"one layer", 1, false, {4, 4, 3, 2}, false, true, false},
      {"one causal layer, GQA", 1, false, {4, 2, 3, 2}, false, true, true},
      {"three layers", 3, false, {4, 2, 3, 2}, false, true, false},
      {"three layers with residual", 3, true, {4, 1, 3, 2}, false, true, true},
      {"cross-attention", 1, false, {4, 2, 3, 2}, true, true, false},
      {"no W_O", 1, false, {4, 2, 3, 2}, false, false, false},
      {"three layers without W_O, residual", 3, true, {4, 4, 2, 2}, false, false, true},
  };
}

inline std::vector<float> random_values(std::size_t n, unsigned seed) {
  const Matrix m = random_matrix(1, n, seed);
  return {m.data(), m.data() + n};
}

inline AttentionStack::Input stack_input(const StackKind& kind) {
  constexpr std::size_t kTokens = 7;
  constexpr std::size_t kContext = 5;
  constexpr std::size_t kContextWidth = 6;
  const HeadLayout& heads = kind.layout;
  const std::size_t d_model = heads.n_heads * heads.d_value;
  AttentionStack::Input input;
  input.residual = kind.residual;
  input.x = random_matrix(kTokens, d_model, 1);
  if (kind.is_cross) input.context = random_matrix(kContext, kContextWidth, 2);
  for (unsigned l = 0; l < kind.n_layers; ++l) {
    AttentionLayer layer;
    layer.layout = heads;
    layer.rule.mask.causal = kind.is_causal;
    const std::size_t q_width = heads.n_heads * heads.d_head;
    const std::size_t kv_width = heads.n_kv_heads * (heads.d_head + heads.d_value);
    const unsigned seed = 10 * (l + 1);
    LayerWeights& w = layer.weights;
    if (kind.is_cross) {
      w.q = {random_matrix(d_model, q_width, seed), random_values(q_width, seed + 1)};
      w.kv = {random_matrix(kContextWidth, kv_width, seed + 2), random_values(kv_width, seed + 3)};
    } else {
      w.qkv = {random_matrix(d_model, q_width + kv_width, seed, 0.5F),
               random_values(q_width + kv_width, seed + 1)};
    }
    if (kind.has_w_o) {
      w.o = {random_matrix(d_model, d_model, seed + 4, 0.5F), random_values(d_model, seed + 5)};
    }
    input.layers.push_back(std::move(layer));
  }
  return input;
}

using Rows = std::vector<std::vector<double>>;

// One layer in double precision.
struct LayerTruth {
  std::vector<Rows> a;  // [head][query][key]
  std::vector<Rows> f;  // [head][key][d_out]: transformed values
  std::vector<Rows> o;  // [head][query][d_out]: contributions
  Rows y;               // [query][d_out]: sum of the contributions, without b_O
};

inline Rows zeros(std::size_t rows, std::size_t cols) {
  return Rows(rows, std::vector<double>(cols, 0.0));
}

inline Rows times(const Rows& x, const Projection& p) {
  Rows out = zeros(x.size(), p.weight.cols());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t c = 0; c < p.weight.cols(); ++c) {
      double sum = p.bias.empty() ? 0.0 : static_cast<double>(p.bias[c]);
      for (std::size_t k = 0; k < p.weight.rows(); ++k) {
        sum += x[i][k] * static_cast<double>(p.weight(k, c));
      }
      out[i][c] = sum;
    }
  }
  return out;
}

inline Matrix columns(const Rows& from, std::size_t first, std::size_t n) {
  Matrix out(from.size(), n);
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (std::size_t c = 0; c < n; ++c) out(i, c) = static_cast<float>(from[i][first + c]);
  }
  return out;
}

inline Rows rows_of(const Matrix& m) {
  Rows out = zeros(m.rows(), m.cols());
  for (std::size_t i = 0; i < m.rows(); ++i) {
    for (std::size_t c = 0; c < m.cols(); ++c) out[i][c] = static_cast<double>(m(i, c));
  }
  return out;
}

// f_h(x_j) from the values of all kv heads side by side, which start at column `first`.
inline Rows transformed(const AttentionLayer& layer, const Rows& kv, std::size_t first,
                        std::size_t head) {
  const std::size_t width = layer.layout.d_value;
  const std::size_t group = layer.layout.n_heads / layer.layout.n_kv_heads;
  Rows out = zeros(kv.size(), layer.d_out());
  for (std::size_t j = 0; j < kv.size(); ++j) {
    for (std::size_t k = 0; k < width; ++k) {
      const double value = kv[j][first + head / group * width + k];
      if (layer.weights.o.weight.empty()) {
        out[j][head * width + k] = value;
        continue;
      }
      for (std::size_t c = 0; c < layer.d_out(); ++c) {
        out[j][c] += value * static_cast<double>(layer.weights.o.weight(head * width + k, c));
      }
    }
  }
  return out;
}

inline LayerTruth layer_truth(const AttentionLayer& layer, const Rows& x, const Rows* context) {
  const HeadLayout& heads = layer.layout;
  const std::size_t q_width = heads.n_heads * heads.d_head;
  const std::size_t k_width = heads.n_kv_heads * heads.d_head;
  const Rows first = times(x, context == nullptr ? layer.weights.qkv : layer.weights.q);
  const Rows kv = context == nullptr ? first : times(*context, layer.weights.kv);
  const std::size_t k_first = context == nullptr ? q_width : 0;
  const AttentionShape shape{x.size(), kv.size(), context != nullptr};
  const Matrix q = columns(first, 0, q_width);
  const Matrix k = columns(kv, k_first, k_width);
  const oracle::Result attention =
      oracle::attend({shape, heads, &layer.rule, q.view(), k.view(), {}});
  LayerTruth out;
  out.y = zeros(x.size(), layer.d_out());
  for (std::size_t h = 0; h < heads.n_heads; ++h) {
    out.a.push_back(zeros(x.size(), kv.size()));
    out.f.push_back(transformed(layer, kv, k_first + k_width, h));
    out.o.push_back(zeros(x.size(), layer.d_out()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < kv.size(); ++j) {
        const double a = attention.weights[(h * x.size() + i) * kv.size() + j];
        out.a[h][i][j] = a;
        for (std::size_t c = 0; c < layer.d_out(); ++c) {
          out.o[h][i][c] += a * out.f[h][j][c];
          out.y[i][c] += a * out.f[h][j][c];
        }
      }
    }
  }
  return out;
}

inline std::vector<LayerTruth> stack_truth(const AttentionStack::Input& input) {
  Rows x = rows_of(input.x);
  Rows context;
  if (input.context) context = rows_of(*input.context);
  std::vector<LayerTruth> out;
  for (const AttentionLayer& layer : input.layers) {
    out.push_back(layer_truth(layer, x, input.context ? &context : nullptr));
    Rows next = out.back().y;
    for (std::size_t i = 0; i < next.size(); ++i) {
      for (std::size_t c = 0; c < next[i].size(); ++c) {
        if (!layer.weights.o.bias.empty()) {
          next[i][c] += static_cast<double>(layer.weights.o.bias[c]);
        }
        if (input.residual) next[i][c] += x[i][c];
      }
    }
    x = next;
  }
  return out;
}

inline double inner(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

inline bool same_bits(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (std::size_t i = 0; i < a.rows() * a.cols(); ++i) {
    const bool both_nan = std::isnan(a.data()[i]) && std::isnan(b.data()[i]);
    if (!both_nan && a.data()[i] != b.data()[i]) return false;
  }
  return true;
}

}  // namespace mha::test
