#include "mha/analysis/head_stats.hpp"

#include <algorithm>
#include <cmath>

namespace mha {
namespace {

// What one pass over the allowed cells of a row gives.
struct RowSums {
  double entropy = 0;
  double total = 0;
  double distance = 0;
  double largest = 0;
  std::size_t non_finite = 0;
  std::size_t missing = 0;
};

RowSums sum_row(const RowMask& mask, std::span<const float> row, double position) {
  RowSums sums;
  for (std::size_t j = mask.begin; j < mask.end; ++j) {
    if (!mask.allows(j)) {
      sums.missing += mask.is_missing(j) ? 1 : 0;
      continue;
    }
    const float w = row[j];
    if (!std::isfinite(w)) {
      ++sums.non_finite;
    } else if (w > 0) {
      const auto weight = static_cast<double>(w);
      sums.entropy -= weight * static_cast<double>(std::log(w));
      sums.total += weight;
      sums.distance += weight * std::fabs(position - static_cast<double>(j));
      sums.largest = std::max(sums.largest, weight);
    }
  }
  return sums;
}

void add_at_key(const RowMask& mask, std::span<const float> row, std::size_t key, RowSum* sum) {
  if (key < row.size() && mask.allows(key)) sum->add(static_cast<double>(row[key]));
}

void add_positional(const RowBlock& block, std::size_t r, const RowSums& sums, HeadStats* stats) {
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
      has_positions
          ? static_cast<double>(block.first_query + r + block.shape->position_offset())
          : 0.0;
  const RowSums sums = sum_row(mask, row, position);
  stats->missing_cells += sums.missing;
  stats->masked_cells += row.size() - mask.n_allowed - sums.missing;
  stats->non_finite_cells += sums.non_finite;
  stats->padding_rows += mask.is_padding ? 1 : 0;
  stats->fully_masked_rows += mask.is_fully_masked() ? 1 : 0;
  if (mask.is_padding || mask.is_fully_masked() || sums.non_finite > 0 || sums.total <= 0) return;

  stats->entropy.add(sums.entropy);
  stats->confidence.add(sums.largest);
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
