#include "mha/analysis/dense_weights.hpp"

#include <algorithm>
#include <limits>

#include "mha/base/checked.hpp"

namespace mha {

DenseWeights::DenseWeights(const Analysis& analysis)
    : first_query_(analysis.queries().first), n_missing_(analysis.slots().size()) {
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    heads_.push_back({analysis.slots()[s].layer,
                      analysis.n_queries_of(s),
                      analysis.layer_of(s).shape.n_key,
                      {}});
    n_missing_[s] = heads_[s].n_query;
  }
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
  const Head& head = heads_[slot];
  return {head.weights.data(), head.n_query, head.n_key, head.n_key};
}

void DenseWeights::release(std::size_t slot) {
  const std::lock_guard lock(mutex_);
  spare_.push_back({heads_[slot].layer, std::move(heads_[slot].weights)});
}

MatrixView DenseWeights::rows_of(std::size_t slot, std::size_t first_query, std::size_t rows) {
  Head& head = heads_[slot];
  const std::lock_guard lock(mutex_);
  if (head.weights.empty()) {
    const auto spare =
        std::ranges::find_if(spare_, [&head](const Spare& one) { return one.layer < head.layer; });
    if (spare != spare_.end()) {
      head.weights = std::move(spare->memory);
      spare_.erase(spare);
    }
    head.weights.resize(checked_mul(head.n_query, head.n_key));
  }
  return {head.weights.data() + (first_query - first_query_) * head.n_key, rows, head.n_key,
          head.n_key};
}

}  // namespace mha
