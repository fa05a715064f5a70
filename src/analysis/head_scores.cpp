#include "mha/analysis/head_scores.hpp"

#include <algorithm>
#include <cstdlib>

#include "mha/attention/row_kernels.hpp"

#include "row_scorer.hpp"

namespace mha {
namespace {

void merge_offsets(const OffsetCounts& from, OffsetCounts* to) {
  for (const auto& [offset, rows] : from) (*to)[offset] += rows;
}

}  // namespace

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
std::unique_ptr<KeySums> HeadScoresAccumulator::take_key_sums(std::size_t slot,
                                                              std::size_t n_key) const {
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
