#include "mha/analysis/value_norms.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"

#include "head_images.hpp"

namespace mha {

void ValueNorms::before_rows(const LayerValues& values) {
  constexpr std::size_t kTileKeys = 256;
  const std::size_t n_key = values.shape.n_key;
  Matrix norms(values.layout.n_heads, n_key);
  const std::size_t n_tiles = ceil_div(n_key, kTileKeys);
  std::vector<FloatVector> scratch(effective_threads(n_threads_));
  parallel_for(values.layout.n_heads * n_tiles, n_threads_,
               [&](std::size_t item, std::size_t worker) {
                 const std::size_t head = item / n_tiles;
                 const std::size_t first = item % n_tiles * kTileKeys;
                 const ConstMatrix v = values.v.head(values.layout.kv_head(head))
                                           .row_range(first, std::min(kTileKeys, n_key - first));
                 const ConstMatrix f = image_of(v, values.w_o_of(head), &scratch[worker]);
                 for (std::size_t r = 0; r < f.rows; ++r) {
                   norms(head, first + r) = static_cast<float>(std::sqrt(dot(f.row(r), f.row(r))));
                 }
               });
  layers_.resize(std::max(layers_.size(), values.layer + 1));
  layers_[values.layer] = std::move(norms);
}

ConstMatrix ValueNorms::layer(std::size_t layer) const {
  if (layer >= layers_.size() || layers_[layer].empty()) {
    fail_input(
        concat("layer ", layer, ": the norms of values need V, which this input does not have"));
  }
  return layers_[layer].view();
}

ScaledRows::ScaledRows(const Analysis& analysis, const ValueNorms& norms, Accumulator* next)
    : norms_(norms), next_(next) {
  for (const HeadSlot& slot : analysis.slots()) {
    if (slot.is_mean()) {
      fail_usage(concat("layer ", slot.layer, ": a norm-based map is of one head, not of the mean"),
                 "choose single heads");
    }
  }
}

void ScaledRows::add(std::size_t slot, const RowBlock& block) {
  const std::span<const float> norms = norms_.layer(block.layer).row(block.head);
  check_range(block, norms);
  Matrix scaled(block.weights.rows, block.weights.cols);
  std::vector<RowMask> masks(block.masks.begin(), block.masks.end());
  for (std::size_t r = 0; r < scaled.rows(); ++r) {
    const std::span<const float> from = block.weights.row(r);
    const std::span<float> to = scaled.view().row(r);
    bool is_finite = true;
    for (std::size_t j = 0; j < from.size(); ++j) {
      to[j] = from[j] == 0 ? 0 : from[j] * norms[j];
      is_finite &= std::isfinite(to[j]);
    }
    masks[r].has_non_finite = !is_finite;
  }
  RowBlock out = block;
  out.weights = std::as_const(scaled).view();
  out.masks = masks;
  next_->add(slot, out);
}

void ScaledRows::check_range(const RowBlock& block, std::span<const float> norms) const {
  // Sums of pools are fixed-point numbers below 2^23; the weights of a row add up to 1.
  constexpr double kLargestSum = 4194304;
  const ColumnPool pool = next_->column_pool();
  if (pool.kind != ColumnPool::Kind::kSum) return;
  double largest = 0;
  for (float norm : norms) {
    if (std::isfinite(norm)) largest = std::max(largest, static_cast<double>(norm));
  }
  if (largest * static_cast<double>(pool.pool) < kLargestSum) return;
  fail_input(concat("L", block.layer, "H", block.head, ": values of norm ", largest,
                    " are too large for the mean over ", pool.pool, "x", pool.pool, " weights"),
             "pool by the maximum");
}

}  // namespace mha
