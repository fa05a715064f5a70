// The mean over the heads of one layer, as rows of a head of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mha/attention/row_block.hpp"

namespace mha {

// Holds (n_query, n_key) sums in fixed point, so that the order in which heads arrive does not
// matter.
class MeanRows {
 public:
  explicit MeanRows(const LayerInfo& layer);

  // Thread-safe.
  void add(const RowBlock& block);
  // Hands the mean rows out, block by block; head is HeadSlot::kMean.
  void stream(std::size_t layer, const std::function<void(const RowBlock&)>& receive) const;

 private:
  const LayerInfo layer_;
  std::vector<std::int64_t> sums_;        // units of 2^-40
  std::vector<std::uint8_t> non_finite_;  // 1: some head's weight is NaN
};

}  // namespace mha
