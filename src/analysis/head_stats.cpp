#include "mha/analysis/head_stats.hpp"

#include <algorithm>
#include <cmath>

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

void add_at_key(const RowMask& mask, std::span<const float> row, std::size_t key, RowSum* sum) {
  if (key < row.size() && mask.allows(key)) sum->add(static_cast<double>(row[key]));
}

void add_positional(const RowBlock& block, std::size_t r, const WeightSums& sums,
                    HeadStats* stats) {
  const RowMask& mask = block.masks[r];
  const std::span<const float> row = block.weights.row(r);
  const std::size_t position = block.first_query + r + block.shape->position_offset();
  stats->distance.add(sums.distance / sums.total);
  if (position > 0) add_at_key(mask, row, position - 1, &stats->previous);
  add_at_key(mask, row, position, &stats->self);
  add_at_key(mask, row, position + 1, &stats->next);
}

void add_row(const RowBlock& block, std::size_t r, HeadStats* stats) {
  const RowMask& mask = block.masks[r];
  const std::span<const float> row = block.weights.row(r);
  const bool has_positions = block.shape->has_positions();
  const double position =
      has_positions ? static_cast<double>(block.first_query + r + block.shape->position_offset())
                    : 0.0;
  // Masked cells hold 0 and add nothing, so one pass over the range of the mask is enough.
  const std::span<const float> reach = row.subspan(mask.begin, mask.end - mask.begin);
  const WeightSums sums = row_kernels().weight_sums(
      reach.data(), reach.size(), static_cast<float>(static_cast<double>(mask.begin) - position));
  const bool is_finite = std::isfinite(sums.total);
  const std::size_t n_missing = count_missing(mask);
  stats->missing_cells += n_missing;
  stats->masked_cells += row.size() - mask.n_allowed - n_missing;
  stats->non_finite_cells += is_finite ? 0 : count_non_finite(reach);
  stats->padding_rows += mask.is_padding ? 1 : 0;
  stats->fully_masked_rows += mask.is_fully_masked() ? 1 : 0;
  if (mask.is_padding || mask.is_fully_masked() || !is_finite || sums.total <= 0) return;

  stats->entropy.add(sums.entropy);
  stats->confidence.add(static_cast<double>(sums.largest));
  if (mask.n_allowed >= 2) {
    stats->normalised_entropy.add(sums.entropy / std::log(static_cast<double>(mask.n_allowed)));
  }
  if (!has_positions) return;
  add_positional(block, r, sums, stats);
  // Row i >= 1 of the sequence: a query that stands at position 0 can see nothing but itself.
  if (position >= 1) add_at_key(mask, row, 0, &stats->first_token);
}

}  // namespace

void HeadStats::merge(const HeadStats& other) {
  entropy.merge(other.entropy);
  normalised_entropy.merge(other.normalised_entropy);
  confidence.merge(other.confidence);
  distance.merge(other.distance);
  previous.merge(other.previous);
  self.merge(other.self);
  next.merge(other.next);
  first_token.merge(other.first_token);
  masked_cells += other.masked_cells;
  missing_cells += other.missing_cells;
  non_finite_cells += other.non_finite_cells;
  fully_masked_rows += other.fully_masked_rows;
  padding_rows += other.padding_rows;
}

void HeadStatsAccumulator::add(std::size_t slot, const RowBlock& block) {
  HeadStats stats;
  for (std::size_t r = 0; r < block.weights.rows; ++r) add_row(block, r, &stats);
  const std::lock_guard lock(slots_[slot].mutex);
  slots_[slot].stats.merge(stats);
}

Habit strongest_habit(const HeadStats& stats) {
  struct Candidate {
    const char* name;
    const RowSum& sum;
    double threshold;
  };
  const Candidate candidates[] = {{"previous token", stats.previous, 0.5},
                                  {"next token", stats.next, 0.5},
                                  {"same token", stats.self, 0.5},
                                  {"first token", stats.first_token, 0.6},
                                  {"uniform", stats.normalised_entropy, 0.95}};
  Habit best;
  double best_excess = -1e9;
  for (const Candidate& candidate : candidates) {
    if (candidate.sum.rows == 0) continue;
    const double score = candidate.sum.mean();
    const double excess = (score - candidate.threshold) / (1 - candidate.threshold);
    if (excess > best_excess) {
      best_excess = excess;
      best = {candidate.name, score, excess > 0};
    }
  }
  return best;
}

}  // namespace mha
