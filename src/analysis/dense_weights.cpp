#include "mha/analysis/dense_weights.hpp"

#include <algorithm>
#include <limits>

#include "mha/base/checked.hpp"

namespace mha {

DenseWeights::DenseWeights(const Analysis& analysis) : first_query_(analysis.queries().first) {
  std::size_t total = 0;
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    const AttentionShape& shape = analysis.layer_of(s).shape;
    const std::size_t n_query = analysis.n_queries_of(s);
    places_.push_back({total, n_query, shape.n_key});
    total = checked_add(total, checked_mul(n_query, shape.n_key));
  }
  data_.resize(total);
  n_missing_ = std::vector<std::atomic<std::size_t>>(places_.size());
  for (std::size_t s = 0; s < places_.size(); ++s) n_missing_[s] = places_[s].n_query;
}

std::optional<MatrixView> DenseWeights::place_for(std::size_t slot, std::size_t first_query,
                                                  std::size_t rows) {
  return rows_of(slot, first_query, rows);
}

void DenseWeights::add(std::size_t slot, const RowBlock& block) {
  const MatrixView to = rows_of(slot, block.first_query, block.weights.rows);
  const bool is_in_place = to.data == block.weights.data;
  for (std::size_t r = 0; r < to.rows && !is_in_place; ++r) {
    std::ranges::copy(block.weights.row(r), to.row(r).begin());
    for (std::size_t j = 0; j < to.cols && block.masks[r].cells != nullptr; ++j) {
      if (block.masks[r].is_missing(j)) to(r, j) = std::numeric_limits<float>::quiet_NaN();
    }
  }
  if (n_missing_[slot].fetch_sub(to.rows) == to.rows && complete_) complete_(slot);
}

ConstMatrix DenseWeights::head(std::size_t slot) const {
  const Place& place = places_[slot];
  return {data_.data() + place.offset, place.n_query, place.n_key, place.n_key};
}

MatrixView DenseWeights::rows_of(std::size_t slot, std::size_t first_query, std::size_t rows) {
  const Place& place = places_[slot];
  return {data_.data() + place.offset + (first_query - first_query_) * place.n_key, rows,
          place.n_key, place.n_key};
}

}  // namespace mha
