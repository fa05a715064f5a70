#include "kept_rows.hpp"

#include <algorithm>
#include <cmath>

#include "mha/attention/row_kernels.hpp"
#include "mha/base/checked.hpp"

namespace mha {
namespace {

// The kernels are slower on the last few weights of a row that do not fill a vector, and masked
// weights are 0 and add nothing: a row is taken to whole vectors of the widest kernel.
constexpr std::size_t kWidestVector = 16;

KeptRows::Row describe(const RowMask& mask, std::span<const float> weights) {
  KeptRows::Row row;
  if (mask.is_padding || mask.is_fully_masked() || mask.has_non_finite) return row;
  const std::size_t whole = ceil_div(mask.end - mask.begin, kWidestVector) * kWidestVector;
  const std::size_t n = std::min(whole, weights.size() - mask.begin);
  const float* reach = weights.data() + mask.begin;
  row.begin = mask.begin;
  row.end = mask.begin + n;
  const WeightRange range = row_kernels().weight_range(reach, n);
  if (!std::isfinite(range.total) || range.total <= 0) return row;
  // The kernel that mixes two rows: a row mixed with its like has this entropy to the last bit.
  row.entropy = row_kernels().mixture_entropy(reach, reach, n);
  row.counts = true;
  return row;
}

}  // namespace

KeptRows::KeptRows(const Analysis& selection, std::size_t n_queries) : n_queries_(n_queries) {
  std::size_t total = 0;
  for (std::size_t s = 0; s < selection.slots().size(); ++s) {
    n_keys_.push_back(selection.layer_of(s).shape.n_key);
    offsets_.push_back(total);
    total = checked_add(total, checked_mul(n_queries, n_keys_.back()));
  }
  data_.resize(total);
  rows_.resize(checked_mul(n_keys_.size(), n_queries));
}

std::size_t KeptRows::bytes_per_query(const Analysis& selection) {
  std::size_t bytes = 0;
  for (std::size_t s = 0; s < selection.slots().size(); ++s) {
    const std::size_t n_key = selection.layer_of(s).shape.n_key;
    bytes = checked_add(bytes, checked_add(checked_mul(n_key, sizeof(float)), sizeof(Row)));
  }
  return bytes;
}

void KeptRows::start(QueryRange queries) {
  queries_ = queries;
  std::ranges::fill(rows_, Row{});
}

std::optional<MatrixView> KeptRows::place_for(std::size_t slot, std::size_t first_query,
                                              std::size_t rows) {
  const std::size_t n_key = n_keys_[slot];
  return MatrixView{data_.data() + offset_of(slot, first_query), rows, n_key, n_key};
}

void KeptRows::add(std::size_t slot, const RowBlock& block) {
  for (std::size_t r = 0; r < block.weights.rows; ++r) {
    const std::size_t query = block.first_query + r;
    // The mean over a layer comes with all its queries.
    if (query < queries_.first || query >= queries_.end) continue;
    const std::span<const float> weights = block.weights.row(r);
    rows_[slot * n_queries_ + (query - queries_.first)] = describe(block.masks[r], weights);
    float* to = data_.data() + offset_of(slot, query);
    if (to != weights.data()) std::ranges::copy(weights, to);
  }
}

}  // namespace mha
