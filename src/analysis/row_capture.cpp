#include "mha/analysis/row_capture.hpp"

namespace mha {

void RowCapture::add(std::size_t slot, const RowBlock& block) {
  if (query_ < block.first_query || query_ >= block.first_query + block.weights.rows) return;
  const std::size_t r = query_ - block.first_query;
  const RowMask& mask = block.masks[r];
  const std::span<const float> row = block.weights.row(r);
  CellMap& out = rows_[slot];
  out.rows = 1;
  out.cols = row.size();
  out.values.assign(row.begin(), row.end());
  out.cells.resize(row.size());
  for (std::size_t j = 0; j < row.size(); ++j) {
    out.cells[j] = mask.is_missing(j)       ? MapCell::kMissing
                   : mask.is_fully_masked() ? MapCell::kFullyMasked
                   : mask.allows(j)         ? MapCell::kValue
                                            : MapCell::kMasked;
  }
}

}  // namespace mha
