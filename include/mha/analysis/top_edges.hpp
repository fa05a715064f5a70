// The largest weights of each row: attention as a sparse graph, for sequences of any length.
#pragma once

#include <cstdint>
#include <vector>

#include "mha/analysis/accumulator.hpp"

namespace mha {

struct Edge {
  std::uint32_t key = 0;
  float weight = 0;
};

class TopEdges : public Accumulator {
 public:
  // Keeps the k largest weights above 0 of each row, 8 k bytes a row.
  TopEdges(const Analysis& analysis, std::size_t k);

  void add(std::size_t slot, const RowBlock& block) override;

  // Edges of a query (counted from the first of the input), largest first; equal weights in the
  // order of their keys.
  std::vector<Edge> edges(std::size_t slot, std::size_t query) const;
  std::size_t first_query() const { return first_query_; }
  std::size_t n_queries(std::size_t slot) const { return rows_[slot].size() / k_; }

 private:
  void add_row(std::span<const float> row, Edge* out) const;

  const std::size_t k_;
  const std::size_t first_query_;
  std::vector<std::vector<Edge>> rows_;  // [slot]: k edges a query, unused ones of weight 0
};

}  // namespace mha
