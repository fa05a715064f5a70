#include "token_rollout.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "mha/base/exact_sum.hpp"
#include "mha/tensor/gemm.hpp"

#include "layer_mixer.hpp"

namespace mha {
namespace {

// Row sums of the sum over the heads of each layer.
class RowTotals : public RowSink {
 public:
  RowTotals(std::size_t n_layers, std::size_t n_tokens)
      : totals_(n_layers, std::vector<ExactSum>(n_tokens)) {}

  void add(const RowBlock& block) override {
    std::vector<double> sums(block.weights.rows);
    for (std::size_t r = 0; r < sums.size(); ++r) {
      for (float weight : block.weights.row(r)) sums[r] += static_cast<double>(weight);
      if (!std::isfinite(sums[r])) fail_not_finite(block.layer, block.first_query + r);
    }
    const std::lock_guard lock(mutex_);
    for (std::size_t r = 0; r < sums.size(); ++r) {
      totals_[block.layer][block.first_query + r].add(sums[r]);
    }
  }

  double total(std::size_t layer, std::size_t query) const { return totals_[layer][query].value(); }

 private:
  std::mutex mutex_;
  std::vector<std::vector<ExactSum>> totals_;  // [layer][query]
};

// Adds c[t, i] A_h[i, :] of all heads h and queries i to row t, in fixed point: the order in which
// blocks arrive does not matter. The sum of a cell is at most 1.
class WeightedRows : public RowSink {
 public:
  explicit WeightedRows(ConstMatrix c) : c_(c), sums_(c.rows * c.cols) {}

  void add(const RowBlock& block) override {
    for (std::size_t t = 0; t < c_.rows; t += kTokensAtOnce) {
      const std::size_t n_tokens = std::min(kTokensAtOnce, c_.rows - t);
      add_tokens(t, c_.block(t, n_tokens, block.first_query, block.weights.rows), block.weights);
    }
  }

  double sum(std::size_t token, std::size_t key) const {
    return static_cast<double>(sums_[token * c_.cols + key]) / kUnitsPerOne;
  }

 private:
  static constexpr double kUnitsPerOne = 4503599627370496.0;  // 2^52
  static constexpr std::size_t kTokensAtOnce = 16;            // bounds the memory of one call

  void add_tokens(std::size_t first_token, ConstMatrix c, ConstMatrix weights) {
    if (is_zero(c)) return;
    Matrix product(c.rows, weights.cols);
    gemm(1.0F, c, weights, 0.0F, product.view());
    std::vector<std::int64_t> units(c.rows * weights.cols);
    for (std::size_t i = 0; i < units.size(); ++i) {
      units[i] = static_cast<std::int64_t>(static_cast<double>(product.data()[i]) * kUnitsPerOne);
    }
    const std::lock_guard lock(mutex_);
    std::int64_t* to = sums_.data() + first_token * c_.cols;
    for (std::size_t i = 0; i < units.size(); ++i) to[i] += units[i];
  }

  static bool is_zero(ConstMatrix c) {
    for (std::size_t t = 0; t < c.rows; ++t) {
      if (std::ranges::any_of(c.row(t), [](float value) { return value != 0; })) return false;
    }
    return true;
  }

  const ConstMatrix c_;  // (token, query)
  std::mutex mutex_;
  std::vector<std::int64_t> sums_;  // (token, key), units of 2^-52
};

}  // namespace

// One step down, r <- r Abar: with H heads and the row sums t_i of the sum over the heads,
// Abar[i, :] = (sum_h A_h[i, :] + H e_i) / (t_i + H).
Matrix token_rollout(const RowSource& source, const std::vector<std::size_t>& tokens,
                     std::size_t n_threads) {
  const std::vector<LayerInfo>& layers = source.layers();
  const std::size_t n = layers.front().shape.n_query;
  LayerMixer mixer(source, n_threads);
  RowTotals totals(layers.size(), n);
  mixer.stream({}, totals);
  Matrix rows(tokens.size(), n);
  std::fill_n(rows.data(), tokens.size() * n, 0.0F);
  for (std::size_t t = 0; t < tokens.size(); ++t) rows(t, tokens[t]) = 1;
  for (std::size_t l = layers.size(); l-- > 0;) {
    const auto n_heads = static_cast<double>(layers[l].n_heads);
    Matrix c = rows;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      for (std::size_t i = 0; i < n; ++i) {
        const double divisor = totals.total(l, i) + n_heads;
        c(t, i) = static_cast<float>(static_cast<double>(rows(t, i)) / divisor);
      }
    }
    WeightedRows sums(std::as_const(c).view());
    mixer.stream({l, l + 1}, sums);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      for (std::size_t i = 0; i < n; ++i) {
        const double own = static_cast<double>(c(t, i)) * n_heads;
        rows(t, i) = static_cast<float>(sums.sum(t, i) + own);
      }
    }
  }
  return rows;
}

}  // namespace mha
