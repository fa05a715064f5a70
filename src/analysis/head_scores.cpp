#include "mha/analysis/head_scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "mha/attention/row_kernels.hpp"

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

void merge_offsets(const OffsetCounts& from, OffsetCounts* to) {
  for (const auto& [offset, rows] : from) (*to)[offset] += rows;
}

std::int64_t offset_of(std::size_t key, std::size_t position) {
  return static_cast<std::int64_t>(key) - static_cast<std::int64_t>(position);
}

// Sum of the weights on some keys, and whether the row may see any of them.
struct Share {
  double sum = 0;
  bool any_allowed = false;
};

}  // namespace

// What keys get from the rows of one head, summed by one thread at a time. Weights are rounded to
// integers once, so that the order of rows does not matter, and row counts are kept as differences
// between neighbouring keys: a row of any length changes two of them.
struct HeadScoresAccumulator::KeySums {
  static constexpr std::size_t kMostRows = 200;  // of weights up to 1.001: they fit 31 bits

  std::size_t slot = 0;
  std::size_t n_rows = 0;
  std::vector<std::int32_t> units;
  std::vector<std::int64_t> row_changes;     // (n_key + 1)
  std::vector<std::uint32_t> offset_counts;  // (2 n_key): rows by offset of the argmax, plus n_key

  void resize(std::size_t n_key) {
    if (units.size() == n_key) return;
    units.assign(n_key, 0);
    row_changes.assign(n_key + 1, 0);
    offset_counts.assign(2 * n_key, 0);
  }

  void count_rows(const RowMask& mask) {
    if (mask.cells == nullptr) {
      ++row_changes[mask.begin];
      --row_changes[mask.end];
      return;
    }
    for (std::size_t j = mask.begin; j < mask.end; ++j) {
      if (mask.cells[j] != kCellAllowed) continue;
      ++row_changes[j];
      --row_changes[j + 1];
    }
  }
};

// Scores one row after another of one block.
class HeadScoresAccumulator::RowScorer {
 public:
  RowScorer(const RowBlock& block, const TokenTraits* traits, const ScoreOptions& options)
      : block_(block), traits_(traits), options_(options) {}

  // Whether the row counts.
  bool add(std::size_t r);
  // Of the row that was added last.
  void count_argmax(KeySums* keys) const;
  HeadScores& scores() { return out_; }

 private:
  void count_cells(bool is_finite);
  void add_positional(const WeightSums& sums);
  void add_neighbour(MeanScore score, bool exists, std::size_t key);
  void add_distances(const WeightSums& sums);
  void add_traits(const WeightSums& sums);
  void add_repeats(const WeightSums& sums);
  void add_relations();
  double confidence(const WeightSums& sums, bool* counts) const;
  double clark_entropy() const;
  Share share_on(std::span<const std::uint32_t> keys, std::size_t shift) const;
  double tl_part(std::span<const std::uint32_t> keys, std::size_t shift) const;
  std::size_t relation_argmax() const;

  const RowBlock& block_;
  const TokenTraits* traits_;
  const ScoreOptions& options_;
  HeadScores out_;
  // Of the row at hand.
  const RowMask* mask_ = nullptr;
  std::span<const float> row_;
  std::size_t query_ = 0;
  std::size_t position_ = 0;
  bool has_positions_ = false;
  float largest_ = 0;
};

bool HeadScoresAccumulator::RowScorer::add(std::size_t r) {
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

void HeadScoresAccumulator::RowScorer::count_cells(bool is_finite) {
  const std::size_t n_missing = count_missing(*mask_);
  out_.missing_cells += n_missing;
  out_.masked_cells += row_.size() - mask_->n_allowed - n_missing;
  out_.non_finite_cells += is_finite ? 0 : count_non_finite(row_);
  out_.padding_rows += mask_->is_padding ? 1 : 0;
  out_.fully_masked_rows += mask_->is_fully_masked() ? 1 : 0;
}

void HeadScoresAccumulator::RowScorer::add_positional(const WeightSums& sums) {
  add_distances(sums);
  add_neighbour(MeanScore::kPrevious, position_ > 0, position_ - 1);
  add_neighbour(MeanScore::kSelf, true, position_);
  add_neighbour(MeanScore::kNext, true, position_ + 1);
  // A query that stands at position 0 can see nothing but itself.
  if (position_ >= 1 && mask_->allows(0)) {
    out_[MeanScore::kFirstToken].add(static_cast<double>(row_[0]));
  }
}

void HeadScoresAccumulator::RowScorer::count_argmax(KeySums* keys) const {
  if (!has_positions_) return;
  const float* begin = row_.data() + mask_->begin;
  const std::size_t n = mask_->end - mask_->begin;
  const std::size_t largest = mask_->begin + row_kernels().find_value(begin, n, largest_);
  ++keys->offset_counts[largest + row_.size() - position_];
}

void HeadScoresAccumulator::RowScorer::add_neighbour(MeanScore score, bool exists,
                                                     std::size_t key) {
  const bool is_allowed = exists && key < row_.size() && mask_->allows(key);
  if (is_allowed) {
    out_[score].add(static_cast<double>(row_[key]));
  } else if (options_.clark) {
    out_[score].add(0);
  }
}

void HeadScoresAccumulator::RowScorer::add_distances(const WeightSums& sums) {
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

void HeadScoresAccumulator::RowScorer::add_traits(const WeightSums& sums) {
  const Share special = share_on(traits_->special_keys(), 0);
  if (special.any_allowed) out_[MeanScore::kSpecial].add(special.sum / sums.total);
  const Share punctuation = share_on(traits_->punctuation_keys(), 0);
  if (punctuation.any_allowed) out_[MeanScore::kPunctuation].add(punctuation.sum / sums.total);
  if (has_positions_) add_repeats(sums);
  add_relations();
}

void HeadScoresAccumulator::RowScorer::add_repeats(const WeightSums& sums) {
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

void HeadScoresAccumulator::RowScorer::add_relations() {
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
double HeadScoresAccumulator::RowScorer::confidence(const WeightSums& sums, bool* counts) const {
  if (!options_.skip_special || traits_ == nullptr) return static_cast<double>(sums.largest);
  *counts = !has_positions_ || !traits_->is_special(position_);
  float largest = 0;
  for (std::size_t j = mask_->begin; j < mask_->end; ++j) {
    if (!traits_->is_special(j)) largest = std::max(largest, row_[j]);
  }
  return static_cast<double>(largest);
}

// Entropy of A' = 0.9999 A + 0.0001 / n over all n keys, as in the code of Clark et al. 2019.
double HeadScoresAccumulator::RowScorer::clark_entropy() const {
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
Share HeadScoresAccumulator::RowScorer::share_on(std::span<const std::uint32_t> keys,
                                                 std::size_t shift) const {
  Share share;
  for (const std::uint32_t listed : keys) {
    const std::size_t key = listed + shift;
    if (key >= row_.size() || !mask_->allows(key)) continue;
    share.any_allowed = true;
    share.sum += static_cast<double>(row_[key]);
  }
  return share;
}

double HeadScoresAccumulator::RowScorer::tl_part(std::span<const std::uint32_t> keys,
                                                 std::size_t shift) const {
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
std::size_t HeadScoresAccumulator::RowScorer::relation_argmax() const {
  std::size_t best = row_.size();
  for (std::size_t j = mask_->begin; j < mask_->end; ++j) {
    const bool is_left_out = (has_positions_ && j == position_) || traits_->is_special(j);
    if (is_left_out || !mask_->allows(j)) continue;
    const float largest = best == row_.size() ? 0.0F : row_[best];
    if (row_[j] > largest) best = j;
  }
  return best;
}

HeadScoresAccumulator::HeadScoresAccumulator(std::size_t n_slots, const TokenTraits* traits,
                                             ScoreOptions options)
    : traits_(traits), options_(options), slots_(n_slots) {}

HeadScoresAccumulator::~HeadScoresAccumulator() = default;

void HeadScoresAccumulator::add(std::size_t slot, const RowBlock& block) {
  RowScorer scorer(block, traits_, options_);
  std::unique_ptr<KeySums> keys = take_key_sums(slot, block.weights.cols);
  for (std::size_t r = 0; r < block.weights.rows; ++r) {
    if (!scorer.add(r)) continue;
    const RowMask& mask = block.masks[r];
    row_kernels().add_units(block.weights.row(r).data() + mask.begin, mask.end - mask.begin,
                            keys->units.data() + mask.begin);
    keys->count_rows(mask);
    scorer.count_argmax(keys.get());
    if (++keys->n_rows == KeySums::kMostRows) flush(keys.get());
  }
  {
    const std::lock_guard lock(slots_[slot].mutex);
    slots_[slot].scores.merge(scorer.scores());
  }
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(keys));
}

const HeadScores& HeadScoresAccumulator::scores(std::size_t slot) const {
  const std::lock_guard lock(mutex_);
  for (const std::unique_ptr<KeySums>& keys : idle_) flush(keys.get());
  return slots_[slot].scores;
}

// Sums for keys of this head: those of the thread that had it last, or others once they are empty.
std::unique_ptr<HeadScoresAccumulator::KeySums> HeadScoresAccumulator::take_key_sums(
    std::size_t slot, std::size_t n_key) const {
  std::unique_ptr<KeySums> out;
  {
    const std::lock_guard lock(mutex_);
    const auto same =
        std::ranges::find_if(idle_, [slot](const auto& keys) { return keys->slot == slot; });
    const auto chosen = same != idle_.end() || idle_.empty() ? same : idle_.end() - 1;
    if (chosen != idle_.end()) {
      out = std::move(*chosen);
      idle_.erase(chosen);
    }
  }
  if (!out) out = std::make_unique<KeySums>();
  if (out->slot != slot) flush(out.get());
  out->slot = slot;
  out->resize(n_key);
  return out;
}

void HeadScoresAccumulator::flush(KeySums* sums) const {
  if (sums->n_rows == 0) return;
  Slot& slot = slots_[sums->slot];
  const std::lock_guard lock(slot.mutex);
  std::vector<KeyShare>& keys = slot.scores.keys;
  keys.resize(std::max(keys.size(), sums->units.size()));
  std::int64_t rows = 0;
  for (std::size_t j = 0; j < sums->units.size(); ++j) {
    rows += sums->row_changes[j];
    keys[j].units += sums->units[j];
    keys[j].rows += static_cast<std::uint64_t>(rows);
  }
  const auto n_key = static_cast<std::int64_t>(sums->units.size());
  for (std::size_t i = 0; i < sums->offset_counts.size(); ++i) {
    if (sums->offset_counts[i] == 0) continue;
    slot.scores.argmax_offsets[static_cast<std::int64_t>(i) - n_key] += sums->offset_counts[i];
  }
  std::ranges::fill(sums->offset_counts, 0U);
  std::ranges::fill(sums->units, 0);
  std::ranges::fill(sums->row_changes, 0);
  sums->n_rows = 0;
}

OffsetShare largest_offset(const OffsetCounts& counts) {
  OffsetShare best;
  for (const auto& [offset, rows] : counts) {
    const bool is_nearer = rows == best.rows && std::abs(offset) < std::abs(best.offset);
    if (rows > best.rows || is_nearer) best = {offset, rows};
  }
  return best;
}

double RelationScore::baseline() const {
  return static_cast<double>(largest_offset(offsets).rows) / static_cast<double>(rows);
}

void RelationScore::merge(const RelationScore& other) {
  rows += other.rows;
  right += other.right;
  merge_offsets(other.offsets, &offsets);
}

void HeadScores::merge(const HeadScores& other) {
  for (std::size_t i = 0; i < means.size(); ++i) means[i].merge(other.means[i]);
  tl_duplicate.merge(other.tl_duplicate);
  tl_induction.merge(other.tl_induction);
  merge_offsets(other.argmax_offsets, &argmax_offsets);
  keys.resize(std::max(keys.size(), other.keys.size()));
  for (std::size_t j = 0; j < other.keys.size(); ++j) {
    keys[j].units += other.keys[j].units;
    keys[j].rows += other.keys[j].rows;
  }
  for (const auto& [key, score] : other.relations) relations[key].merge(score);
  rows += other.rows;
  masked_cells += other.masked_cells;
  missing_cells += other.missing_cells;
  non_finite_cells += other.non_finite_cells;
  fully_masked_rows += other.fully_masked_rows;
  padding_rows += other.padding_rows;
}

std::vector<Sink> HeadScores::sinks(std::size_t count) const {
  std::vector<Sink> all;
  for (std::size_t j = 0; j < keys.size(); ++j) {
    if (keys[j].rows > 0) all.push_back({j, keys[j].mean(), keys[j].rows});
  }
  const std::size_t shown = std::min(count, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), all.end(),
                    [](const Sink& a, const Sink& b) {
                      return a.share != b.share ? a.share > b.share : a.key < b.key;
                    });
  all.resize(shown);
  return all;
}

}  // namespace mha
