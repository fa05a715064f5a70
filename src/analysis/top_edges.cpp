#include "mha/analysis/top_edges.hpp"

#include <algorithm>

#include "mha/base/checked.hpp"

namespace mha {

TopEdges::TopEdges(const Analysis& analysis, std::size_t k)
    : k_(k), first_query_(analysis.queries().first) {
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    rows_.emplace_back(checked_mul(analysis.n_queries_of(s), k));
  }
}

void TopEdges::add(std::size_t slot, const RowBlock& block) {
  // Blocks do not share rows: no lock is needed.
  for (std::size_t r = 0; r < block.weights.rows; ++r) {
    const std::size_t row = block.first_query - first_query_ + r;
    add_row(block.weights.row(r), &rows_[slot][row * k_]);
  }
}

// Inserts each weight that beats the smallest kept so far; for most keys that is one comparison.
void TopEdges::add_row(std::span<const float> row, Edge* out) const {
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!(row[j] > out[k_ - 1].weight)) continue;
    std::size_t at = k_ - 1;
    for (; at > 0 && out[at - 1].weight < row[j]; --at) out[at] = out[at - 1];
    out[at] = {static_cast<std::uint32_t>(j), row[j]};
  }
}

std::vector<Edge> TopEdges::edges(std::size_t slot, std::size_t query) const {
  const auto first = rows_[slot].begin() + static_cast<std::ptrdiff_t>((query - first_query_) * k_);
  std::vector<Edge> out(first, first + static_cast<std::ptrdiff_t>(k_));
  std::erase_if(out, [](const Edge& edge) { return edge.weight == 0; });
  return out;
}

}  // namespace mha
