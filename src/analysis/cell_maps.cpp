#include "mha/analysis/cell_maps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mha/attention/row_kernels.hpp"
#include "mha/base/checked.hpp"

namespace mha {
namespace {

constexpr double kUnitsPerOne = 1099511627776.0;  // 2^40

MapCell stronger(MapCell a, MapCell b) {
  static constexpr int kRank[] = {3, 1, 0, 2};  // value, masked, fully masked, missing
  return kRank[static_cast<int>(a)] >= kRank[static_cast<int>(b)] ? a : b;
}

}  // namespace

CellMapsAccumulator::CellMapsAccumulator(const Analysis& analysis, const MapWindow& window)
    : window_(window), first_query_(analysis.queries().first) {
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    const AttentionShape& shape = analysis.layer_of(s).shape;
    auto slot = std::make_unique<Slot>();
    slot->map.rows = ceil_div(analysis.n_queries_of(s), window.pool);
    slot->map.cols = ceil_div(window.end_of(shape.n_key) - window.first_key, window.pool);
    const std::size_t n_cells = checked_mul(slot->map.rows, slot->map.cols);
    slot->map.values.resize(n_cells);
    // A cell starts as fully masked and becomes more as rows arrive.
    slot->map.cells.assign(n_cells, MapCell::kFullyMasked);
    if (window.kind == PoolKind::kMean) {
      slot->sums.resize(n_cells);
      slot->counts.resize(n_cells);
    }
    slots_.push_back(std::move(slot));
  }
}

struct CellMapsAccumulator::PooledRow {
  explicit PooledRow(std::size_t cols) : values(cols), cells(cols), sums(cols), counts(cols) {}

  std::vector<float> values;
  std::vector<MapCell> cells;
  std::vector<double> sums;           // mean pooling
  std::vector<std::uint32_t> counts;  // mean pooling
};

void CellMapsAccumulator::add(std::size_t index, const RowBlock& block) {
  Slot& slot = *slots_[index];
  PooledRow pooled(slot.map.cols);
  for (std::size_t r = 0; r < block.weights.rows; ++r) {
    const RowMask& mask = block.masks[r];
    const bool is_plain = mask.cells == nullptr && !mask.has_non_finite;
    if (is_plain) {
      pool_range(mask, block.weights.row(r), &pooled);
    } else {
      pool_row(mask, block.weights.row(r), &pooled);
    }
    // Without pooling no two blocks touch the same cells.
    std::unique_lock<std::mutex> lock(slot.mutex, std::defer_lock);
    if (window_.pool > 1) lock.lock();
    merge_row((block.first_query - first_query_ + r) / window_.pool, pooled, &slot);
  }
}

Accumulator::Needs CellMapsAccumulator::needs() const {
  // The engine pools to the last key.
  return window_.end_key == MapWindow{}.end_key ? Needs::kPooledColumns : Needs::kRows;
}

ColumnPool CellMapsAccumulator::column_pool() const {
  return {window_.first_key, window_.pool,
          window_.kind == PoolKind::kMax ? ColumnPool::Kind::kMax : ColumnPool::Kind::kSum};
}

void CellMapsAccumulator::add_pooled(std::size_t index, const PooledBlock& block) {
  Slot& slot = *slots_[index];
  PooledRow pooled(slot.map.cols);
  for (std::size_t r = 0; r < block.values.rows; ++r) {
    describe_cells(block.masks[r], &pooled);
    for (std::size_t c = 0; c < pooled.values.size(); ++c) {
      pooled.values[c] = block.values(r, c);
      pooled.sums[c] = static_cast<double>(block.values(r, c));
    }
    std::unique_lock<std::mutex> lock(slot.mutex, std::defer_lock);
    if (window_.pool > 1) lock.lock();
    merge_row((block.first_query - first_query_ + r) / window_.pool, pooled, &slot);
  }
}

// What the mask alone says about the cells of a row: their state and number of allowed keys.
void CellMapsAccumulator::describe_cells(const RowMask& mask, PooledRow* out) const {
  const bool is_hidden = mask.is_fully_masked();
  for (std::size_t c = 0; c < out->cells.size(); ++c) {
    const std::size_t key = window_.first_key + c * window_.pool;
    const std::size_t begin = std::max(key, mask.begin);
    const std::size_t end = std::max(begin, std::min(key + window_.pool, mask.end));
    std::size_t allowed = end - begin;
    if (mask.cells != nullptr) {
      allowed =
          static_cast<std::size_t>(std::count(mask.cells + begin, mask.cells + end, kCellAllowed));
    }
    out->counts[c] = static_cast<std::uint32_t>(allowed);
    out->cells[c] = is_hidden      ? MapCell::kFullyMasked
                    : allowed == 0 ? MapCell::kMasked
                                   : MapCell::kValue;
  }
}

// A row whose allowed keys are one range of finite weights: nearly every row there is.
void CellMapsAccumulator::pool_range(const RowMask& mask, std::span<const float> weights,
                                     PooledRow* out) const {
  const RowKernels& kernels = row_kernels();
  const bool is_hidden = mask.is_fully_masked();
  for (std::size_t c = 0; c < out->cells.size(); ++c) {
    const std::size_t key = window_.first_key + c * window_.pool;
    const std::size_t begin = std::max(key, mask.begin);
    const std::size_t end =
        std::min({key + window_.pool, mask.end, window_.end_of(weights.size())});
    out->counts[c] = 0;
    out->values[c] = 0;
    out->cells[c] = is_hidden ? MapCell::kFullyMasked : MapCell::kMasked;
    if (is_hidden || begin >= end) continue;
    out->cells[c] = MapCell::kValue;
    out->counts[c] = static_cast<std::uint32_t>(end - begin);
    if (window_.kind == PoolKind::kMean) {
      out->sums[c] = std::accumulate(weights.begin() + static_cast<std::ptrdiff_t>(begin),
                                     weights.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
    } else {
      out->values[c] =
          end - begin == 1 ? weights[begin] : kernels.row_maximum(&weights[begin], end - begin);
    }
  }
}

// Any row, cell by cell.
void CellMapsAccumulator::pool_row(const RowMask& mask, std::span<const float> weights,
                                   PooledRow* out) const {
  const bool is_hidden = mask.is_fully_masked();
  const MapCell nothing = is_hidden ? MapCell::kFullyMasked : MapCell::kMasked;
  std::fill(out->cells.begin(), out->cells.end(), nothing);
  std::fill(out->values.begin(), out->values.end(), 0.0F);
  std::fill(out->sums.begin(), out->sums.end(), 0.0);
  std::fill(out->counts.begin(), out->counts.end(), 0U);
  for (std::size_t j = window_.first_key; j < window_.end_of(weights.size()); ++j) {
    const std::size_t c = (j - window_.first_key) / window_.pool;
    MapCell& cell = out->cells[c];
    if (is_hidden || !mask.allows(j)) {
      if (mask.is_missing(j) && cell != MapCell::kValue) cell = MapCell::kMissing;
      continue;
    }
    cell = MapCell::kValue;
    ++out->counts[c];
    out->sums[c] += static_cast<double>(weights[j]);
    float& value = out->values[c];
    if (!std::isfinite(weights[j])) value = std::numeric_limits<float>::quiet_NaN();
    if (weights[j] > value) value = weights[j];
  }
}

// Adds a pooled row to the cells of its map row. What a cell is only ever rises: fully masked,
// masked, missing, value.
void CellMapsAccumulator::merge_row(std::size_t map_row, const PooledRow& row, Slot* slot) const {
  CellMap& map = slot->map;
  for (std::size_t c = 0; c < map.cols; ++c) {
    const std::size_t at = map_row * map.cols + c;
    map.cells[at] = stronger(map.cells[at], row.cells[c]);
    if (row.cells[c] != MapCell::kValue) continue;
    float& value = map.values[at];
    if (window_.kind == PoolKind::kMean && !std::isnan(row.values[c])) {
      slot->sums[at] += static_cast<std::int64_t>(row.sums[c] * kUnitsPerOne);
      slot->counts[at] += row.counts[c];
    } else if (std::isnan(row.values[c])) {
      value = row.values[c];
    } else if (row.values[c] > value) {  // false for a NaN, which stays
      value = row.values[c];
    }
  }
}

CellMap CellMapsAccumulator::take(std::size_t index) {
  Slot& slot = *slots_[index];
  if (window_.kind == PoolKind::kMean) {
    for (std::size_t c = 0; c < slot.sums.size(); ++c) {
      if (slot.counts[c] == 0 || std::isnan(slot.map.values[c])) continue;
      slot.map.values[c] =
          static_cast<float>(static_cast<double>(slot.sums[c]) / kUnitsPerOne / slot.counts[c]);
    }
  }
  return std::move(slot.map);
}

}  // namespace mha
