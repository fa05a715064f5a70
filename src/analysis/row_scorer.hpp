// The scores of single rows, and what keys get from them: the parts of HeadScoresAccumulator that
// one thread works with at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mha/analysis/head_scores.hpp"
#include "mha/attention/row_kernels.hpp"

namespace mha {

// What keys get from the rows of one head, summed by one thread at a time. Weights are rounded to
// integers once, so that the order of rows does not matter, and row counts are kept as differences
// between neighbouring keys: a row of any length changes two of them.
struct KeySums {
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

// Sum of the weights on some keys, and whether the row may see any of them.
struct Share {
  double sum = 0;
  bool any_allowed = false;
};

// Scores one row after another of one block.
class RowScorer {
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

}  // namespace mha
