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

std::int64_t to_units(double weight) {
  return static_cast<std::int64_t>(weight * kUnitsPerOne);
}

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

// What the rows of one block give to one row of the map, before it joins what other blocks gave.
struct CellMapsAccumulator::PooledRow {
  PooledRow(std::size_t n_key, std::size_t cols, PoolKind kind)
      : cells(cols, MapCell::kFullyMasked), values(cols) {
    largest.resize(n_key);
    if (kind == PoolKind::kMean) {
      sums.resize(cols);
      counts.resize(cols);
    }
  }

  void clear() {
    std::ranges::fill(cells, MapCell::kFullyMasked);
    std::ranges::fill(values, 0.0F);
    std::ranges::fill(largest, 0.0F);
    std::ranges::fill(sums, 0);
    std::ranges::fill(counts, 0U);
    begin = end = 0;
  }

  std::vector<MapCell> cells;
  std::vector<float> values;  // largest weight of each cell; NaN where a weight is not finite
  // Maximum pooling of plain rows into narrow cells: the largest weight of each key so far, within
  // keys [begin, end). It is pooled along the keys only once for all rows. (Wide cells are pooled
  // row by row: there a second row of the length of the first would not stay in the cache.)
  std::vector<float> largest;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<std::int64_t> sums;     // mean pooling
  std::vector<std::uint32_t> counts;  // mean pooling
};

void CellMapsAccumulator::add(std::size_t index, const RowBlock& block) {
  Slot& slot = *slots_[index];
  PooledRow pooled(is_narrow() ? block.weights.cols : 0, slot.map.cols, window_.kind);
  const std::size_t first = block.first_query - first_query_;
  for (std::size_t r = 0; r < block.weights.rows; ++r) {
    const RowMask& mask = block.masks[r];
    const bool is_plain = mask.cells == nullptr && !mask.has_non_finite;
    if (is_plain) {
      add_range(mask, block.weights.row(r), &pooled);
    } else {
      add_row(mask, block.weights.row(r), &pooled);
    }
    const std::size_t map_row = (first + r) / window_.pool;
    const bool is_last = r + 1 == block.weights.rows || (first + r + 1) / window_.pool != map_row;
    if (!is_last) continue;
    pool_keys(&pooled);
    merge_row(map_row, pooled, &slot);
    pooled.clear();
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
  PooledRow pooled(0, slot.map.cols, window_.kind);
  const std::size_t first = block.first_query - first_query_;
  for (std::size_t r = 0; r < block.values.rows; ++r) {
    add_pooled_row(block.masks[r], block.values.row(r), &pooled);
    const std::size_t map_row = (first + r) / window_.pool;
    const bool is_last = r + 1 == block.values.rows || (first + r + 1) / window_.pool != map_row;
    if (!is_last) continue;
    merge_row(map_row, pooled, &slot);
    pooled.clear();
  }
}

void CellMapsAccumulator::add_pooled_row(const RowMask& mask, std::span<const float> values,
                                         PooledRow* out) const {
  if (mask.cells != nullptr) {
    add_scattered_row(mask, values, out);
    return;
  }
  const CellRange range = mark_range(mask, mask.end, out);
  float* largest = out->values.data();
  for (std::size_t c = range.first; c < range.end; ++c) {
    const float value = values[c];
    const bool is_nan = value != value;
    largest[c] = ((value > largest[c]) | is_nan) ? value : largest[c];  // a NaN stays
  }
  if (window_.kind == PoolKind::kMax) return;
  for (std::size_t c = range.first; c < range.end; ++c) {
    if (std::isfinite(values[c])) out->sums[c] += to_units(values[c]);
    out->counts[c] += static_cast<std::uint32_t>(count_allowed(mask, c));
  }
}

// A row whose allowed keys are not one range.
void CellMapsAccumulator::add_scattered_row(const RowMask& mask, std::span<const float> values,
                                            PooledRow* out) const {
  if (mask.is_fully_masked()) return;
  for (std::size_t c = 0; c < out->cells.size(); ++c) {
    const std::size_t allowed = count_allowed(mask, c);
    out->cells[c] = stronger(out->cells[c], allowed == 0 ? MapCell::kMasked : MapCell::kValue);
    if (allowed == 0) continue;
    float& largest = out->values[c];
    if (std::isnan(values[c]) || values[c] > largest) largest = values[c];
    if (window_.kind == PoolKind::kMax) continue;
    if (std::isfinite(values[c])) out->sums[c] += to_units(values[c]);
    out->counts[c] += static_cast<std::uint32_t>(allowed);
  }
}

// The keys of a cell that a row may attend to.
std::size_t CellMapsAccumulator::count_allowed(const RowMask& mask, std::size_t cell) const {
  const std::size_t key = window_.first_key + cell * window_.pool;
  const std::size_t begin = std::max(key, mask.begin);
  const std::size_t end = std::max(begin, std::min(key + window_.pool, mask.end));
  if (mask.cells == nullptr) return end - begin;
  return static_cast<std::size_t>(std::count(mask.cells + begin, mask.cells + end, kCellAllowed));
}

// Says of each cell whether keys [mask.begin, mask.end) before `end_key` touch it: a value, else
// masked unless another row knows better. Returns the cells with a value.
CellMapsAccumulator::CellRange CellMapsAccumulator::mark_range(const RowMask& mask,
                                                               std::size_t end_key,
                                                               PooledRow* out) const {
  if (mask.is_fully_masked()) return {};  // cells start as that
  const std::span<MapCell> cells(out->cells);
  const std::size_t begin = std::max(mask.begin, window_.first_key);
  const std::size_t end = std::max(begin, std::min(mask.end, end_key));
  CellRange range;
  range.first = std::min(cells.size(), (begin - window_.first_key) / window_.pool);
  range.end = begin == end ? range.first : ceil_div(end - window_.first_key, window_.pool);
  const auto mark_masked = [](std::span<MapCell> part) {
    for (MapCell& cell : part) cell = cell == MapCell::kFullyMasked ? MapCell::kMasked : cell;
  };
  mark_masked(cells.first(range.first));
  std::ranges::fill(cells.subspan(range.first, range.end - range.first), MapCell::kValue);
  mark_masked(cells.subspan(range.end));
  return range;
}

// Adds a row whose allowed keys are one range of finite weights, as nearly every row is.
void CellMapsAccumulator::add_range(const RowMask& mask, std::span<const float> weights,
                                    PooledRow* out) const {
  const CellRange cells = mark_range(mask, window_.end_of(weights.size()), out);
  if (cells.first == cells.end) return;
  const std::size_t begin = std::max(mask.begin, window_.first_key);
  const std::size_t end = std::min(mask.end, window_.end_of(weights.size()));
  if (is_narrow()) {
    float* largest = out->largest.data();
    const float* row = weights.data();
    for (std::size_t j = begin; j < end; ++j) largest[j] = std::max(largest[j], row[j]);
    out->begin = out->end == 0 ? begin : std::min(out->begin, begin);
    out->end = std::max(out->end, end);
    return;
  }
  for (std::size_t c = cells.first; c < cells.end; ++c) {
    const std::size_t key = window_.first_key + c * window_.pool;
    const std::size_t first = std::max(key, begin);
    const std::size_t last = std::min(key + window_.pool, end);
    if (window_.kind == PoolKind::kMax) {
      const float largest = row_kernels().row_maximum(&weights[first], last - first);
      out->values[c] = std::max(out->values[c], largest);
      continue;
    }
    out->sums[c] += to_units(std::accumulate(&weights[first], weights.data() + last, 0.0));
    out->counts[c] += static_cast<std::uint32_t>(last - first);
  }
}

// Pools the largest weights of the keys into cells.
void CellMapsAccumulator::pool_keys(PooledRow* row) const {
  const std::size_t pool = window_.pool;
  std::size_t c = row->begin < row->end ? (row->begin - window_.first_key) / pool : 0;
  for (std::size_t j = row->begin; j < row->end; ++c) {
    const std::size_t end = std::min(row->end, window_.first_key + (c + 1) * pool);
    float largest = row->values[c];  // a NaN stays
    for (; j < end; ++j) largest = row->largest[j] > largest ? row->largest[j] : largest;
    row->values[c] = largest;
  }
}

// Any row, cell by cell.
void CellMapsAccumulator::add_row(const RowMask& mask, std::span<const float> weights,
                                  PooledRow* out) const {
  const bool is_hidden = mask.is_fully_masked();
  for (std::size_t j = window_.first_key; j < window_.end_of(weights.size()); ++j) {
    const std::size_t c = (j - window_.first_key) / window_.pool;
    MapCell& cell = out->cells[c];
    if (is_hidden || !mask.allows(j)) {
      const MapCell hidden = mask.is_missing(j) ? MapCell::kMissing
                             : is_hidden        ? MapCell::kFullyMasked
                                                : MapCell::kMasked;
      cell = stronger(cell, hidden);
      continue;
    }
    cell = MapCell::kValue;
    float& value = out->values[c];
    if (!std::isfinite(weights[j])) value = std::numeric_limits<float>::quiet_NaN();
    if (window_.kind == PoolKind::kMean && std::isfinite(weights[j])) {
      out->sums[c] += to_units(weights[j]);
      ++out->counts[c];
    } else if (weights[j] > value) {
      value = weights[j];
    }
  }
}

// Adds a pooled row to the cells of its map row. What a cell is only ever rises: fully masked,
// masked, missing, value.
void CellMapsAccumulator::merge_row(std::size_t map_row, const PooledRow& row, Slot* slot) const {
  // Without pooling no two blocks touch the same cells.
  std::unique_lock<std::mutex> lock(slot->mutex, std::defer_lock);
  if (window_.pool > 1) lock.lock();
  CellMap& map = slot->map;
  for (std::size_t c = 0; c < map.cols; ++c) {
    const std::size_t at = map_row * map.cols + c;
    map.cells[at] = stronger(map.cells[at], row.cells[c]);
    if (row.cells[c] != MapCell::kValue) continue;
    float& value = map.values[at];
    if (std::isnan(row.values[c]) || row.values[c] > value) value = row.values[c];  // a NaN stays
    if (window_.kind == PoolKind::kMean) {
      slot->sums[at] += row.sums[c];
      slot->counts[at] += row.counts[c];
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
