// Heatmap cells: the weights of a head pooled into as many cells as a picture can show.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "mha/analysis/accumulator.hpp"

namespace mha {

enum class PoolKind { kMax, kMean };

enum class MapCell : std::uint8_t {
  kValue,        // the pooled value of the cell's allowed weights; NaN if one of them is not finite
  kMasked,       // no weight of the cell is allowed
  kFullyMasked,  // every row of the cell is fully masked
  kMissing,      // no weight is allowed and some do not exist
};

// rows x cols cells, row-major.
struct CellMap {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<float> values;
  std::vector<MapCell> cells;
};

// Which part of the matrix a map shows, and how many tokens share a cell. Whole matrix by default.
struct MapWindow {
  std::size_t pool = 1;       // pool x pool weights a cell
  std::size_t first_key = 0;  // keys before it are left out
  PoolKind kind = PoolKind::kMax;
  std::size_t end_key = static_cast<std::size_t>(-1);  // and so are those from here on

  std::size_t end_of(std::size_t n_key) const { return end_key < n_key ? end_key : n_key; }
};

class CellMapsAccumulator : public Accumulator {
 public:
  // One map for each slot of the analysis.
  CellMapsAccumulator(const Analysis& analysis, const MapWindow& window);

  void add(std::size_t slot, const RowBlock& block) override;

  Needs needs() const override;
  ColumnPool column_pool() const override;
  void add_pooled(std::size_t slot, const PooledBlock& block) override;

  // Finishes the map of a slot and hands it over.
  CellMap take(std::size_t slot);

 private:
  struct Slot {
    std::mutex mutex;
    CellMap map;
    std::vector<std::int64_t> sums;     // mean pooling: units of 2^-40
    std::vector<std::uint32_t> counts;  // mean pooling: allowed weights
  };
  struct PooledRow;
  // Cells [first, end) of a map row.
  struct CellRange {
    std::size_t first = 0;
    std::size_t end = 0;
  };

  bool is_narrow() const { return window_.kind == PoolKind::kMax && window_.pool < 16; }
  void add_range(const RowMask& mask, std::span<const float> weights, PooledRow* out) const;
  void add_row(const RowMask& mask, std::span<const float> weights, PooledRow* out) const;
  void pool_keys(PooledRow* row) const;
  void add_pooled_row(const RowMask& mask, std::span<const float> values, PooledRow* out) const;
  void add_scattered_row(const RowMask& mask, std::span<const float> values, PooledRow* out) const;
  CellRange mark_range(const RowMask& mask, std::size_t end_key, PooledRow* out) const;
  std::size_t count_allowed(const RowMask& mask, std::size_t cell) const;
  void merge_row(std::size_t map_row, const PooledRow& row, Slot* slot) const;

  MapWindow window_;
  std::size_t first_query_ = 0;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace mha
