// Cells of a matrix as the interactive page reads them (src/render/html/data.js).
#pragma once

#include <cstdint>
#include <vector>

#include "mha/analysis/cell_maps.hpp"
#include "mha/attention/row_block.hpp"

namespace mha::cli {

inline constexpr std::uint8_t kMissingCode = 254;  // no number
inline constexpr std::uint8_t kMaskedCode = 255;   // the query may not attend to the key
inline constexpr unsigned kMostLevels = 253;

// A part of a matrix, pooled by maximum as its rows arrive.
struct PooledCells {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t pool = 1;
  std::size_t first_row = 0;  // where the part starts in the whole matrix
  std::size_t first_col = 0;
  std::size_t end_row = 0;
  std::size_t end_col = 0;
  std::vector<float> values;  // NaN: not finite
  std::vector<MapCell> cells;

  // Queries and keys [first, end), pool x pool of them a cell.
  PooledCells(const QueryRange& queries, const QueryRange& keys, std::size_t pool);
  void add_row(std::size_t query, std::span<const float> weights, const RowMask& mask);
};

// The maxima of factor x factor cells.
CellMap pooled_map(const PooledCells& cells, std::size_t factor);

// (rows) floats, the largest value of each row, then (rows, cols) codes: a value is its row's
// largest times (code / levels)^2. The square keeps small weights apart beside a large one.
std::vector<std::uint8_t> quantised_cells(const PooledCells& cells, unsigned levels);
// (rows, cols) floats, then (rows, cols) codes: 0 for a value.
std::vector<std::uint8_t> exact_cells(const PooledCells& cells);
// The same as quantised_cells() with one largest value for all rows, for thumbnails.
std::vector<std::uint8_t> thumb_cells(const CellMap& map);

}  // namespace mha::cli
