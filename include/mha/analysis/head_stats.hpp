// Means over the rows of each head: how spread out its attention is and where it tends to go.
// docs/formulas.md has the definitions; every mean says over how many rows it was taken.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "mha/analysis/accumulator.hpp"
#include "mha/base/exact_sum.hpp"

namespace mha {

// A sum of row values and the number of rows that had one.
struct RowSum {
  ExactSum sum;
  std::uint64_t rows = 0;

  void add(double value) {
    sum.add(value);
    ++rows;
  }
  void merge(const RowSum& other) {
    sum.merge(other.sum);
    rows += other.rows;
  }
  double mean() const { return sum.value() / static_cast<double>(rows); }
};

// Rows that are padding, fully masked or not finite are left out of every mean.
struct HeadStats {
  RowSum entropy;               // -sum A ln A, nats
  RowSum normalised_entropy;    // H / ln(allowed keys), rows with at least 2 allowed keys
  RowSum confidence;            // largest weight of the row
  RowSum distance;              // sum A |p_i - j| / sum A
  RowSum previous, self, next;  // A at key p_i - 1, p_i, p_i + 1 where that key is allowed
  RowSum first_token;           // A[i, 0], rows i >= 1 that may see key 0
  std::uint64_t masked_cells = 0;
  std::uint64_t missing_cells = 0;
  std::uint64_t non_finite_cells = 0;
  std::uint64_t fully_masked_rows = 0;
  std::uint64_t padding_rows = 0;

  void merge(const HeadStats& other);
};

class HeadStatsAccumulator : public Accumulator {
 public:
  explicit HeadStatsAccumulator(std::size_t n_slots) : slots_(n_slots) {}

  void add(std::size_t slot, const RowBlock& block) override;
  const HeadStats& stats(std::size_t slot) const { return slots_[slot].stats; }

 private:
  struct Slot {
    std::mutex mutex;
    HeadStats stats;
  };
  std::vector<Slot> slots_;
};

// What a head does most, of the habits that need no annotation.
struct Habit {
  std::string name;       // "previous token", "next token", "same token", "first token", "uniform"
  double score = 0;       // the mean that names it
  bool is_clear = false;  // the score passes the threshold of docs/formulas.md
};

// The habit with the largest (score - threshold) / (1 - threshold). Thresholds: previous, self and
// next 0.5, first token 0.6, uniform (normalised entropy) 0.95. No name where nothing was measured.
Habit strongest_habit(const HeadStats& stats);

}  // namespace mha
