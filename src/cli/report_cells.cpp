#include "report_cells.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "mha/base/checked.hpp"

namespace mha::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "the page reads little-endian floats");

// Floats in front, then codes that the caller sets.
std::vector<std::uint8_t> with_floats(std::span<const float> floats, std::size_t n_codes) {
  std::vector<std::uint8_t> out(floats.size_bytes() + n_codes);
  std::memcpy(out.data(), floats.data(), floats.size_bytes());
  return out;
}

std::uint8_t code_of_state(MapCell cell) {
  return cell == MapCell::kMissing ? kMissingCode : kMaskedCode;
}

// The largest finite value of cells [begin, begin + count); 0 where none is above it.
float largest_of(const float* values, const MapCell* cells, std::size_t count) {
  float largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (cells[i] == MapCell::kValue && std::isfinite(values[i])) {
      largest = std::max(largest, values[i]);
    }
  }
  return largest;
}

struct Quantiser {
  float largest = 0;
  unsigned levels = kMostLevels;

  std::uint8_t code(float value, MapCell cell) const {
    if (cell != MapCell::kValue) return code_of_state(cell);
    if (!std::isfinite(value)) return kMissingCode;
    if (!(value > 0) || largest == 0) return 0;
    const float part = std::sqrt(value / largest);
    return static_cast<std::uint8_t>(part * static_cast<float>(levels) + 0.5F);
  }
};

}  // namespace

PooledCells::PooledCells(const QueryRange& queries, const QueryRange& keys, std::size_t pool_size)
    : rows(ceil_div(queries.end - queries.first, pool_size)),
      cols(ceil_div(keys.end - keys.first, pool_size)),
      pool(pool_size),
      first_row(queries.first),
      first_col(keys.first),
      end_row(queries.end),
      end_col(keys.end),
      values(checked_mul(rows, cols)),
      cells(values.size(), MapCell::kMasked) {}

void PooledCells::add_row(std::size_t query, std::span<const float> weights, const RowMask& mask) {
  if (query < first_row || query >= end_row) return;
  const std::size_t start = (query - first_row) / pool * cols;
  float* to = values.data() + start;
  MapCell* state = cells.data() + start;
  const std::size_t begin = std::max(mask.begin, first_col);
  const std::size_t end = std::min(mask.end, end_col);
  for (std::size_t key = begin; key < end; ++key) {
    if (mask.cells != nullptr && mask.cells[key] != kCellAllowed) continue;
    const std::size_t c = (key - first_col) / pool;
    const float value = weights[key];
    state[c] = MapCell::kValue;
    // What is not finite stays, whatever shares its cell.
    if (std::isfinite(value)) {
      to[c] = value > to[c] ? value : to[c];
    } else {
      to[c] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  if (mask.cells == nullptr) return;
  for (std::size_t key = first_col; key < end_col; ++key) {
    MapCell& cell = state[(key - first_col) / pool];
    if (mask.is_missing(key) && cell == MapCell::kMasked) cell = MapCell::kMissing;
  }
}

CellMap pooled_map(const PooledCells& from, std::size_t factor) {
  CellMap map;
  map.rows = ceil_div(from.rows, factor);
  map.cols = ceil_div(from.cols, factor);
  map.values.resize(map.rows * map.cols);
  map.cells.assign(map.values.size(), MapCell::kMasked);
  for (std::size_t r = 0; r < from.rows; ++r) {
    for (std::size_t c = 0; c < from.cols; ++c) {
      const std::size_t at = r * from.cols + c;
      const std::size_t to = r / factor * map.cols + c / factor;
      if (from.cells[at] == MapCell::kValue) {
        const float value = from.values[at];
        const bool is_larger = std::isnan(value) || value > map.values[to];
        if (map.cells[to] != MapCell::kValue || is_larger) map.values[to] = value;
        map.cells[to] = MapCell::kValue;
      } else if (map.cells[to] == MapCell::kMasked) {
        map.cells[to] = from.cells[at];
      }
    }
  }
  return map;
}

std::vector<std::uint8_t> quantised_cells(const PooledCells& from, unsigned levels) {
  std::vector<float> maxima(from.rows);
  for (std::size_t r = 0; r < from.rows; ++r) {
    maxima[r] = largest_of(from.values.data() + r * from.cols, from.cells.data() + r * from.cols,
                           from.cols);
  }
  std::vector<std::uint8_t> out = with_floats(maxima, from.values.size());
  std::uint8_t* codes = out.data() + from.rows * sizeof(float);
  for (std::size_t r = 0; r < from.rows; ++r) {
    const Quantiser quantiser{maxima[r], levels};
    for (std::size_t i = r * from.cols; i < (r + 1) * from.cols; ++i) {
      codes[i] = quantiser.code(from.values[i], from.cells[i]);
    }
  }
  return out;
}

std::vector<std::uint8_t> exact_cells(const PooledCells& from) {
  std::vector<std::uint8_t> out = with_floats(from.values, from.values.size());
  std::uint8_t* codes = out.data() + from.values.size() * sizeof(float);
  for (std::size_t i = 0; i < from.values.size(); ++i) {
    const bool has_value = from.cells[i] == MapCell::kValue;
    const bool is_finite = std::isfinite(from.values[i]);
    codes[i] = !has_value  ? code_of_state(from.cells[i])
               : is_finite ? std::uint8_t{0}
                           : kMissingCode;
  }
  return out;
}

std::vector<std::uint8_t> thumb_cells(const CellMap& map) {
  const float largest = largest_of(map.values.data(), map.cells.data(), map.values.size());
  std::vector<std::uint8_t> out = with_floats({&largest, 1}, map.values.size());
  const Quantiser quantiser{largest, kMostLevels};
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    out[sizeof(float) + i] = quantiser.code(map.values[i], map.cells[i]);
  }
  return out;
}

}  // namespace mha::cli
