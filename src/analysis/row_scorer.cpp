#include "row_scorer.hpp"

#include <algorithm>
#include <cmath>

namespace mha {
namespace {

std::size_t count_non_finite(std::span<const float> weights) {
  return static_cast<std::size_t>(
      std::ranges::count_if(weights, [](float w) { return !std::isfinite(w); }));
}

std::size_t count_missing(const RowMask& mask) {
  if (mask.cells == nullptr) return 0;
  return static_cast<std::size_t>(
      std::count(mask.cells + mask.begin, mask.cells + mask.end, kCellMissing));
}

std::int64_t offset_of(std::size_t key, std::size_t position) {
  return static_cast<std::int64_t>(key) - static_cast<std::int64_t>(position);
}

}  // namespace

bool RowScorer::add(std::size_t r) {
  mask_ = &block_.masks[r];
  row_ = block_.weights.row(r);
  query_ = block_.first_query + r;
  has_positions_ = block_.shape->has_positions();
  position_ = has_positions_ ? query_ + block_.shape->position_offset() : 0;
  // Masked cells hold 0 and add nothing, so one pass over the range of the mask is enough.
  const std::span<const float> reach = row_.subspan(mask_->begin, mask_->end - mask_->begin);
  const double offset = static_cast<double>(mask_->begin) - static_cast<double>(position_);
  const WeightSums sums =
      row_kernels().weight_sums(reach.data(), reach.size(), static_cast<float>(offset));
  const bool is_finite = std::isfinite(sums.total);
  count_cells(is_finite);
  if (mask_->is_padding || mask_->is_fully_masked() || !is_finite || sums.total <= 0) return false;

  ++out_.rows;
  largest_ = sums.largest;
  out_[MeanScore::kEntropy].add(options_.clark ? clark_entropy() : sums.entropy);
  out_[MeanScore::kEffectiveKeys].add(std::exp(sums.entropy));
  if (mask_->n_allowed >= 2) {
    out_[MeanScore::kNormalisedEntropy].add(sums.entropy /
                                            std::log(static_cast<double>(mask_->n_allowed)));
  }
  bool counts = true;
  const double largest = confidence(sums, &counts);
  if (counts) out_[MeanScore::kConfidence].add(largest);
  if (has_positions_) add_positional(sums);
  if (traits_ != nullptr) add_traits(sums);
  return true;
}

void RowScorer::count_cells(bool is_finite) {
  const std::size_t n_missing = count_missing(*mask_);
  out_.missing_cells += n_missing;
  out_.masked_cells += row_.size() - mask_->n_allowed - n_missing;
  out_.non_finite_cells += is_finite ? 0 : count_non_finite(row_);
  out_.padding_rows += mask_->is_padding ? 1 : 0;
  out_.fully_masked_rows += mask_->is_fully_masked() ? 1 : 0;
}

void RowScorer::add_positional(const WeightSums& sums) {
  add_distances(sums);
  add_neighbour(MeanScore::kPrevious, position_ > 0, position_ - 1);
  add_neighbour(MeanScore::kSelf, true, position_);
  add_neighbour(MeanScore::kNext, true, position_ + 1);
  // A query that stands at position 0 can see nothing but itself.
  if (position_ >= 1 && mask_->allows(0)) {
    out_[MeanScore::kFirstToken].add(static_cast<double>(row_[0]));
  }
}

void RowScorer::count_argmax(KeySums* keys) const {
  if (!has_positions_) return;
  const float* begin = row_.data() + mask_->begin;
  const std::size_t n = mask_->end - mask_->begin;
  const std::size_t largest = mask_->begin + row_kernels().find_value(begin, n, largest_);
  ++keys->offset_counts[largest + row_.size() - position_];
}

void RowScorer::add_neighbour(MeanScore score, bool exists, std::size_t key) {
  const bool is_allowed = exists && key < row_.size() && mask_->allows(key);
  if (is_allowed) {
    out_[score].add(static_cast<double>(row_[key]));
  } else if (options_.clark) {
    out_[score].add(0);
  }
}

void RowScorer::add_distances(const WeightSums& sums) {
  double total = sums.total;
  double distance = sums.distance;
  double signed_distance = -sums.offset;
  if (options_.skip_first && mask_->allows(0)) {
    const auto first = static_cast<double>(row_[0]);
    const auto away = static_cast<double>(position_);
    total -= first;
    distance -= first * away;
    signed_distance -= first * away;
    if (total <= 0) return;  // nothing is left to measure
  }
  out_[MeanScore::kDistance].add(distance / total);
  out_[MeanScore::kSignedDistance].add(signed_distance / total);
}

void RowScorer::add_traits(const WeightSums& sums) {
  const Share special = share_on(traits_->special_keys(), 0);
  if (special.any_allowed) out_[MeanScore::kSpecial].add(special.sum / sums.total);
  const Share punctuation = share_on(traits_->punctuation_keys(), 0);
  if (punctuation.any_allowed) out_[MeanScore::kPunctuation].add(punctuation.sum / sums.total);
  if (has_positions_) add_repeats(sums);
  add_relations();
}

void RowScorer::add_repeats(const WeightSums& sums) {
  const std::span<const std::uint32_t> earlier = traits_->earlier(position_);
  const Share duplicate = share_on(earlier, 0);
  if (duplicate.any_allowed) out_[MeanScore::kDuplicate].add(duplicate.sum / sums.total);
  const Share induction = share_on(earlier, 1);
  if (induction.any_allowed) out_[MeanScore::kInduction].add(induction.sum / sums.total);

  double whole = sums.total;
  if (options_.tl_exclude_bos) whole -= static_cast<double>(row_[0]);
  const bool own_is_first = position_ == 0 && options_.tl_exclude_bos;
  if (options_.tl_exclude_current && !own_is_first) whole -= static_cast<double>(row_[position_]);
  out_.tl_duplicate.add(tl_part(earlier, 0), whole, !earlier.empty());
  out_.tl_induction.add(tl_part(earlier, 1), whole, !earlier.empty());
}

void RowScorer::add_relations() {
  for (const TokenTraits::RelationEntry& entry : traits_->relations_of(query_)) {
    const std::vector<std::size_t>& keys = entry.row->keys;
    if (std::ranges::none_of(keys, [&](std::size_t key) { return mask_->allows(key); })) continue;
    const RelationRows& relation = traits_->relations()[entry.relation];
    RelationScore& score = out_.relations[{relation.name, relation.reversed}];
    ++score.rows;
    score.right += std::ranges::binary_search(keys, relation_argmax()) ? 1 : 0;
    if (!has_positions_) continue;
    for (std::size_t key : keys) ++score.offsets[offset_of(key, position_)];
  }
}

// The largest weight; with skip_special without special tokens, whose rows do not count then.
double RowScorer::confidence(const WeightSums& sums, bool* counts) const {
  if (!options_.skip_special || traits_ == nullptr) return static_cast<double>(sums.largest);
  *counts = !has_positions_ || !traits_->is_special(position_);
  float largest = 0;
  for (std::size_t j = mask_->begin; j < mask_->end; ++j) {
    if (!traits_->is_special(j)) largest = std::max(largest, row_[j]);
  }
  return static_cast<double>(largest);
}

// Entropy of A' = 0.9999 A + 0.0001 / n over all n keys, as in the code of Clark et al. 2019.
double RowScorer::clark_entropy() const {
  constexpr double kKept = 0.9999;
  const double spread = (1 - kKept) / static_cast<double>(row_.size());
  double entropy = 0;
  for (float w : row_) {
    const double smoothed = kKept * static_cast<double>(w) + spread;
    entropy -= smoothed * std::log(smoothed);
  }
  return entropy;
}

// The share on keys `shift` places after those listed.
Share RowScorer::share_on(std::span<const std::uint32_t> keys, std::size_t shift) const {
  Share share;
  for (const std::uint32_t listed : keys) {
    const std::size_t key = listed + shift;
    if (key >= row_.size() || !mask_->allows(key)) continue;
    share.any_allowed = true;
    share.sum += static_cast<double>(row_[key]);
  }
  return share;
}

double RowScorer::tl_part(std::span<const std::uint32_t> keys, std::size_t shift) const {
  double sum = 0;
  for (const std::uint32_t listed : keys) {
    const std::size_t key = listed + shift;
    const bool is_left_out =
        (options_.tl_exclude_bos && key == 0) || (options_.tl_exclude_current && key == position_);
    if (!is_left_out) sum += static_cast<double>(row_[key]);
  }
  return sum;
}

// The first key with the largest weight, the query itself and special tokens left out; none (n_key)
// where they leave no weight.
std::size_t RowScorer::relation_argmax() const {
  std::size_t best = row_.size();
  for (std::size_t j = mask_->begin; j < mask_->end; ++j) {
    const bool is_left_out = (has_positions_ && j == position_) || traits_->is_special(j);
    if (is_left_out || !mask_->allows(j)) continue;
    const float largest = best == row_.size() ? 0.0F : row_[best];
    if (row_[j] > largest) best = j;
  }
  return best;
}

}  // namespace mha
