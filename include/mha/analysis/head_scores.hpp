// Every score of a head in one pass over its rows. docs/scores.md has the definitions; every mean
// says over how many rows it was taken. Rows that are padding, fully masked or not finite are left
// out of every score.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mha/analysis/accumulator.hpp"
#include "mha/analysis/score_info.hpp"
#include "mha/analysis/token_traits.hpp"
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

// A part of a whole, both summed over all rows.
struct RatioSum {
  ExactSum part;
  ExactSum whole;
  std::uint64_t rows = 0;  // in which there is anything to find

  void add(double row_part, double row_whole, bool has_part) {
    part.add(row_part);
    whole.add(row_whole);
    rows += has_part ? 1 : 0;
  }
  void merge(const RatioSum& other) {
    part.merge(other.part);
    whole.merge(other.whole);
    rows += other.rows;
  }
  bool is_defined() const { return rows > 0 && whole.value() > 0; }
  double ratio() const { return part.value() / whole.value(); }
};

// How many rows point to each offset (key minus position).
using OffsetCounts = std::map<std::int64_t, std::uint64_t>;

struct OffsetShare {
  std::int64_t offset = 0;
  std::uint64_t rows = 0;
};
// The offset with the most rows; of equal ones the nearest to 0, then the negative one.
OffsetShare largest_offset(const OffsetCounts& counts);

// Rows that have right keys in a relation and may see one: how often the largest weight (self and
// special tokens left out) is on one of them.
struct RelationScore {
  std::uint64_t rows = 0;
  std::uint64_t right = 0;
  OffsetCounts offsets;  // rows in which the key at this offset is right; none in cross-attention

  void merge(const RelationScore& other);
  double rate() const { return static_cast<double>(right) / static_cast<double>(rows); }
  bool has_baseline() const { return !offsets.empty(); }
  // The rate of the best single offset on the same rows.
  double baseline() const;
  double gain() const { return rate() - baseline(); }
};
struct RelationKey {
  std::string name;
  bool reversed = false;
  // clang-tidy 14 takes the 0 that the compiler compares with for a null pointer.
  auto operator<=>(const RelationKey&) const = default;  // NOLINT(modernize-use-nullptr)
  std::string text() const { return reversed ? name + " (reversed)" : name; }
};

// What one key gets from the rows that may see it. Weights are summed in units of 2^-23.
struct KeyShare {
  std::int64_t units = 0;
  std::uint64_t rows = 0;
  double mean() const { return static_cast<double>(units) / 8388608.0 / static_cast<double>(rows); }
};
struct Sink {
  std::size_t key = 0;
  double share = 0;
  std::uint64_t rows = 0;
};

struct HeadScores {
  std::array<RowSum, kMeanScores> means;
  RatioSum tl_duplicate, tl_induction;
  OffsetCounts argmax_offsets;  // of every row; empty in cross-attention
  std::vector<KeyShare> keys;   // by position of the key
  std::map<RelationKey, RelationScore> relations;
  std::uint64_t rows = 0;  // that count at all
  std::uint64_t masked_cells = 0;
  std::uint64_t missing_cells = 0;
  std::uint64_t non_finite_cells = 0;
  std::uint64_t fully_masked_rows = 0;
  std::uint64_t padding_rows = 0;

  RowSum& operator[](MeanScore score) { return means[static_cast<std::size_t>(score)]; }
  const RowSum& operator[](MeanScore score) const { return means[static_cast<std::size_t>(score)]; }
  void merge(const HeadScores& other);
  // The keys with the largest shares, largest first, earlier keys first among equals.
  std::vector<Sink> sinks(std::size_t count) const;
};

// Variants that papers and tools use; off by default.
struct ScoreOptions {
  bool clark = false;           // smoothed entropy, n as the denominator of previous, self, next
  bool skip_special = false;    // confidence without special tokens as keys and queries
  bool skip_first = false;      // distances without attention to key 0
  bool tl_exclude_bos = false;  // tl_ scores without key 0 ...
  bool tl_exclude_current = false;  // ... and without the row's own key
};

struct KeySums;

class HeadScoresAccumulator : public Accumulator {
 public:
  // `traits` (of the input's tokens) must outlive this object; null: nothing is known of them.
  explicit HeadScoresAccumulator(std::size_t n_slots, const TokenTraits* traits = nullptr,
                                 ScoreOptions options = {});
  ~HeadScoresAccumulator() override;

  void add(std::size_t slot, const RowBlock& block) override;
  // Only when no more rows come.
  const HeadScores& scores(std::size_t slot) const;

 private:
  struct Slot {
    std::mutex mutex;
    HeadScores scores;
  };
  std::unique_ptr<KeySums> take_key_sums(std::size_t slot, std::size_t n_key) const;
  void flush(KeySums* sums) const;

  const TokenTraits* traits_;
  const ScoreOptions options_;
  mutable std::vector<Slot> slots_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<KeySums>> idle_;  // one for each thread that was here
};

}  // namespace mha
