// Attention in double precision by plain loops: no BLAS, no tiles, no vector code, and none of the
// library's mask or position code. Slow and easy to check against docs/formulas.md.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "mha/attention/rule.hpp"
#include "mha/tensor/matrix.hpp"

namespace mha::oracle {

struct Result {
  std::vector<double> scores;   // (n_heads, n_query, n_key); masked cells -inf
  std::vector<double> weights;  // (n_heads, n_query, n_key)
  std::vector<double> outputs;  // (n_query, n_heads * d_value)
};

// Rotates one head vector that stands at `position`.
inline std::vector<double> rotated(const Rope& rope, double position, std::vector<double> x) {
  const auto d = static_cast<double>(x.size());
  const std::size_t d_rot = static_cast<std::size_t>(std::floor(rope.fraction * d / 2)) * 2;
  std::vector<double> out = x;
  for (std::size_t t = 0; t < d_rot / 2; ++t) {
    const double frequency =
        rope.frequencies.empty()
            ? std::pow(rope.theta, -2.0 * static_cast<double>(t) / static_cast<double>(d_rot))
            : rope.frequencies[t];
    const double angle = position * frequency;
    const std::size_t a = rope.pairing == RopePairing::kHalf ? t : 2 * t;
    const std::size_t b = rope.pairing == RopePairing::kHalf ? t + d_rot / 2 : 2 * t + 1;
    out[a] = rope.magnitude * (x[a] * std::cos(angle) - x[b] * std::sin(angle));
    out[b] = rope.magnitude * (x[a] * std::sin(angle) + x[b] * std::cos(angle));
  }
  return out;
}

// The slope of head h, from the definition of Press et al.: written apart from the library's.
inline double alibi_slope(std::size_t head, std::size_t n_heads) {
  std::size_t power = 1;
  while (power * 2 <= n_heads) power *= 2;
  if (head < power)
    return std::pow(2.0, -8.0 * static_cast<double>(head + 1) / static_cast<double>(power));
  const auto odd = static_cast<double>(2 * (head - power) + 1);
  return std::pow(2.0, -8.0 * odd / static_cast<double>(2 * power));
}

struct Problem {
  AttentionShape shape;
  HeadLayout layout;
  const AttentionRule* rule;
  ConstMatrix q, k, v;  // as in AttentionProblem, before rotation
  bool rotate = true;   // apply the rule's RoPE here
};

inline std::vector<double> head_vector(ConstMatrix m, std::size_t row, std::size_t head,
                                       std::size_t width) {
  std::vector<double> out(width);
  for (std::size_t c = 0; c < width; ++c) out[c] = static_cast<double>(m(row, head * width + c));
  return out;
}

inline bool is_allowed(const Problem& p, std::size_t i, std::size_t j) {
  const MaskRule& mask = p.rule->mask;
  const double position = static_cast<double>(i) + static_cast<double>(p.shape.n_key) -
                          static_cast<double>(p.shape.n_query);
  const double back = position - static_cast<double>(j);
  if (mask.causal && back < 0) return false;
  if (mask.window) {
    const auto window = static_cast<double>(*mask.window);
    if (mask.causal ? !(back >= 0 && back < window) : !(std::fabs(back) < window)) return false;
  }
  if (!mask.valid_keys.empty() && mask.valid_keys[j] == 0) return false;
  return mask.mask.empty() || mask.mask[i * p.shape.n_key + j] != 0;
}

inline double score(const Problem& p, std::size_t h, std::size_t i, std::size_t j) {
  const AttentionRule& rule = *p.rule;
  const std::size_t d = p.layout.d_head;
  const double position = static_cast<double>(i) + static_cast<double>(p.shape.n_key) -
                          static_cast<double>(p.shape.n_query);
  std::vector<double> q = head_vector(p.q, i, h, d);
  std::vector<double> k = head_vector(p.k, j, h / (p.layout.n_heads / p.layout.n_kv_heads), d);
  if (rule.position == PositionKind::kRope && p.rotate) {
    q = rotated(rule.rope, position, q);
    k = rotated(rule.rope, static_cast<double>(j), k);
  }
  double dot = 0;
  for (std::size_t c = 0; c < d; ++c) dot += q[c] * k[c];
  double s = dot * (rule.scale ? *rule.scale : 1 / std::sqrt(static_cast<double>(d)));
  if (rule.softcap) s = *rule.softcap * std::tanh(s / *rule.softcap);
  if (rule.position == PositionKind::kAlibi) {
    s -= alibi_slope(h, p.layout.n_heads) * std::fabs(position - static_cast<double>(j));
  }
  if (!rule.bias.empty()) {
    const std::size_t bias_head = rule.bias_heads == 1 ? 0 : h;
    s += static_cast<double>(rule.bias[(bias_head * p.shape.n_query + i) * p.shape.n_key + j]);
  }
  s /= rule.temperature;
  return is_allowed(p, i, j) ? s : -std::numeric_limits<double>::infinity();
}

inline Result attend(const Problem& p) {
  const std::size_t n_query = p.shape.n_query;
  const std::size_t n_key = p.shape.n_key;
  const std::size_t d_value = p.layout.d_value;
  Result out;
  out.outputs.assign(n_query * p.layout.n_heads * d_value, 0.0);
  for (std::size_t h = 0; h < p.layout.n_heads; ++h) {
    for (std::size_t i = 0; i < n_query; ++i) {
      std::vector<double> row(n_key);
      double largest = -std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < n_key; ++j) {
        row[j] = score(p, h, i, j);
        out.scores.push_back(row[j]);
        largest = std::max(largest, row[j]);
      }
      double sum = 0;
      for (double& s : row) {
        s = std::isfinite(largest) ? std::exp(s - largest) : 0.0;
        sum += s;
      }
      for (std::size_t j = 0; j < n_key; ++j) {
        const double weight = sum > 0 ? row[j] / sum : 0.0;
        out.weights.push_back(weight);
        for (std::size_t c = 0; c < d_value && p.v.data != nullptr; ++c) {
          const std::size_t kv = h / (p.layout.n_heads / p.layout.n_kv_heads);
          out.outputs[(i * p.layout.n_heads + h) * d_value + c] +=
              weight * static_cast<double>(p.v(j, kv * d_value + c));
        }
      }
    }
  }
  return out;
}

}  // namespace mha::oracle
