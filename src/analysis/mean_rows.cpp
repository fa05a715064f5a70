#include "mean_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "mha/analysis/accumulator.hpp"
#include "mha/base/checked.hpp"

namespace mha {
namespace {

constexpr double kUnitsPerOne = 1099511627776.0;  // 2^40

}  // namespace

MeanRows::MeanRows(const LayerInfo& layer)
    : layer_(layer),
      sums_(checked_mul(layer.shape.n_query, layer.shape.n_key)),
      non_finite_(sums_.size()) {}

void MeanRows::add(const RowBlock& block) {
  for (std::size_t r = 0; r < block.weights.rows; ++r) {
    const std::size_t start = (block.first_query + r) * layer_.shape.n_key;
    for (std::size_t j = 0; j < block.weights.cols; ++j) {
      const float w = block.weights(r, j);
      if (!std::isfinite(w)) {
        std::atomic_ref(non_finite_[start + j]).store(1, std::memory_order_relaxed);
      } else if (w != 0) {
        const auto units = static_cast<std::int64_t>(static_cast<double>(w) * kUnitsPerOne);
        std::atomic_ref(sums_[start + j]).fetch_add(units, std::memory_order_relaxed);
      }
    }
  }
}

void MeanRows::stream(std::size_t layer,
                      const std::function<void(const RowBlock&)>& receive) const {
  const std::size_t n_query = layer_.shape.n_query;
  const std::size_t n_key = layer_.shape.n_key;
  const std::size_t block_rows = default_block_rows(layer_.shape);
  const double to_mean = 1.0 / (kUnitsPerOne * static_cast<double>(layer_.n_heads));
  RowMasker masker(*layer_.mask, layer_.shape);
  Matrix rows(block_rows, n_key);
  for (std::size_t first = 0; first < n_query; first += block_rows) {
    const std::size_t n_rows = std::min(block_rows, n_query - first);
    std::vector<RowMask> masks = masker.rows(first, n_rows, {});
    for (std::size_t r = 0; r < n_rows; ++r) {
      bool is_zero = true;
      for (std::size_t j = 0; j < n_key; ++j) {
        const std::size_t at = (first + r) * n_key + j;
        rows(r, j) = non_finite_[at] != 0 ? std::numeric_limits<float>::quiet_NaN()
                                          : static_cast<float>(sums_[at] * to_mean);
        is_zero = is_zero && rows(r, j) == 0;
      }
      if (is_zero) masks[r].n_allowed = 0;
    }
    receive(
        {layer, HeadSlot::kMean, first, rows.view().row_range(0, n_rows), masks, &layer_.shape});
  }
}

}  // namespace mha
