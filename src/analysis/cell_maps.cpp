#include "mha/analysis/cell_maps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/base/checked.hpp"

namespace mha {
namespace {

constexpr double kUnitsPerOne = 1099511627776.0;  // 2^40

}  // namespace

CellMapsAccumulator::CellMapsAccumulator(const Analysis& analysis, const MapWindow& window)
    : window_(window) {
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    const AttentionShape& shape = analysis.layer_of(s).shape;
    auto slot = std::make_unique<Slot>();
    slot->map.rows = ceil_div(shape.n_query, window.pool);
    slot->map.cols = ceil_div(shape.n_key - window.first_key, window.pool);
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

void CellMapsAccumulator::add(std::size_t index, const RowBlock& block) {
  Slot& slot = *slots_[index];
  std::unique_lock<std::mutex> lock(slot.mutex, std::defer_lock);
  // Without pooling no two blocks touch the same cells.
  if (window_.pool > 1) lock.lock();
  for (std::size_t r = 0; r < block.weights.rows; ++r) {
    add_row(&slot, (block.first_query + r) / window_.pool, block.masks[r], block.weights.row(r));
  }
}

void CellMapsAccumulator::add_row(Slot* slot, std::size_t row, const RowMask& mask,
                                  std::span<const float> weights) {
  if (mask.is_fully_masked() && mask.cells == nullptr) return;
  CellMap& map = slot->map;
  for (std::size_t j = window_.first_key; j < weights.size(); ++j) {
    const std::size_t cell = row * map.cols + (j - window_.first_key) / window_.pool;
    MapCell& state = map.cells[cell];
    if (!mask.is_fully_masked() && mask.allows(j)) {
      add_cell(slot, cell, weights[j]);
      state = MapCell::kValue;
    } else if (mask.is_missing(j)) {
      if (state != MapCell::kValue) state = MapCell::kMissing;
    } else if (state == MapCell::kFullyMasked && !mask.is_fully_masked()) {
      state = MapCell::kMasked;
    }
  }
}

void CellMapsAccumulator::add_cell(Slot* slot, std::size_t cell, float weight) const {
  float& value = slot->map.values[cell];
  if (!std::isfinite(weight)) {
    value = std::numeric_limits<float>::quiet_NaN();
  } else if (window_.kind == PoolKind::kMax) {
    if (!(value >= weight) && !std::isnan(value)) value = weight;
  } else {
    slot->sums[cell] += static_cast<std::int64_t>(static_cast<double>(weight) * kUnitsPerOne);
    ++slot->counts[cell];
  }
}

CellMap CellMapsAccumulator::take(std::size_t index) {
  Slot& slot = *slots_[index];
  if (window_.kind == PoolKind::kMean) {
    for (std::size_t c = 0; c < slot.sums.size(); ++c) {
      if (slot.counts[c] == 0 || std::isnan(slot.map.values[c])) continue;
      slot.map.values[c] = static_cast<float>(static_cast<double>(slot.sums[c]) / kUnitsPerOne /
                                              slot.counts[c]);
    }
  }
  return std::move(slot.map);
}

}  // namespace mha
