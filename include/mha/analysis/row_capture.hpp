// One query's row of each selected head, as it streams by.
#pragma once

#include <vector>

#include "mha/analysis/accumulator.hpp"
#include "mha/analysis/cell_maps.hpp"

namespace mha {

class RowCapture : public Accumulator {
 public:
  RowCapture(std::size_t n_slots, std::size_t query) : query_(query), rows_(n_slots) {}

  void add(std::size_t slot, const RowBlock& block) override;
  // A map of one row, unpooled.
  const CellMap& row(std::size_t slot) const { return rows_[slot]; }

 private:
  const std::size_t query_;
  std::vector<CellMap> rows_;  // one block alone holds the row: no lock is needed
};

}  // namespace mha
