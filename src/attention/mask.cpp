#include "mha/attention/mask.hpp"

#include <algorithm>
#include <limits>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

void check_size(const char* name, std::size_t got, std::size_t expected) {
  if (got != 0 && got != expected) {
    fail_input(
        concat(name, " has the wrong number of entries; expected ", expected, ", got ", got));
  }
}

}  // namespace

void check_mask(const MaskRule& rule, const AttentionShape& shape) {
  if (!shape.is_cross && shape.n_query > shape.n_key) {
    fail_input(concat("self-attention has more queries than keys; expected at most ", shape.n_key,
                      " queries, got ", shape.n_query));
  }
  if (shape.is_cross && (rule.causal || rule.window)) {
    fail_input(concat(rule.causal ? "causal" : "window",
                      " needs positions, and queries and keys of cross-attention share none"),
               "use mask or valid_keys instead");
  }
  if (rule.window && *rule.window == 0) fail_input("window must be at least 1, got 0");
  check_size("valid_keys", rule.valid_keys.size(), shape.n_key);
  check_size("mask", rule.mask.size(), checked_mul(shape.n_query, shape.n_key));
}

RowMasker::RowMasker(const MaskRule& rule, const AttentionShape& shape)
    : rule_(rule), shape_(shape) {
  check_mask(rule, shape);
}

const std::vector<RowMask>& RowMasker::rows(std::size_t first, std::size_t n_rows,
                                            const Hints& hints) {
  const std::size_t n_key = shape_.n_key;
  const bool needs_cells = !rule_.valid_keys.empty() || !rule_.mask.empty() ||
                           hints.bias != nullptr || hints.missing != nullptr;
  rows_.resize(n_rows);
  if (needs_cells) cells_.resize(n_rows * n_key);
  for (std::size_t r = 0; r < n_rows; ++r) {
    rows_[r] = range_of(first + r);
    if (!needs_cells) continue;
    const Hints row_hints{hints.bias == nullptr ? nullptr : hints.bias + r * n_key,
                          hints.missing == nullptr ? nullptr : hints.missing + r * n_key};
    fill_cells(first + r, row_hints, &rows_[r], cells_.data() + r * n_key);
  }
  return rows_;
}

RowMask RowMasker::range_of(std::size_t query) const {
  RowMask row{0, shape_.n_key, nullptr, 0, false, false};
  if (shape_.has_positions()) {
    const std::size_t position = query + shape_.position_offset();
    if (rule_.causal) row.end = position + 1;
    if (rule_.window) {
      const std::size_t reach = *rule_.window - 1;
      if (position > reach) row.begin = position - reach;
      if (!rule_.causal && reach < shape_.n_key - position) row.end = position + reach + 1;
    }
    row.is_padding = !rule_.valid_keys.empty() && rule_.valid_keys[position] == 0;
  }
  row.n_allowed = row.end - row.begin;
  return row;
}

void RowMasker::fill_cells(std::size_t query, const Hints& hints, RowMask* row,
                           std::uint8_t* cells) const {
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  const std::size_t n_key = shape_.n_key;
  const std::uint8_t* mask = rule_.mask.empty() ? nullptr : rule_.mask.data() + query * n_key;
  std::fill_n(cells, n_key, std::uint8_t{kCellMasked});
  row->n_allowed = 0;
  for (std::size_t j = row->begin; j < row->end; ++j) {
    const bool allowed = (rule_.valid_keys.empty() || rule_.valid_keys[j] != 0) &&
                         (mask == nullptr || mask[j] != 0) &&
                         (hints.bias == nullptr || hints.bias[j] != kHidden);
    if (!allowed) continue;
    const bool is_missing = hints.missing != nullptr && hints.missing[j] != 0;
    cells[j] = is_missing ? kCellMissing : kCellAllowed;
    row->n_allowed += is_missing ? 0 : 1;
  }
  row->cells = cells;
}

}  // namespace mha
