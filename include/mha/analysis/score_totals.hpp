// Scores of the heads over many inputs: rows pooled, with the spread over inputs beside them.
// Totals merge exactly, in any order: threads, shards and machines give the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "mha/analysis/head_scores.hpp"

namespace mha {

// How a mean differs from input to input.
struct Spread {
  std::uint64_t inputs = 0;  // in which some row applied
  ExactSum sum, squares;     // of the means of the inputs
  double low = 0;
  double high = 0;

  void add(double mean);
  void merge(const Spread& other);
  // Standard deviation of the inputs' means (divided by their number).
  double deviation() const;
};

struct HeadTotals {
  HeadScores pooled;
  std::array<Spread, kMeanScores> spread;
  std::uint64_t inputs = 0;
  std::uint64_t first_special_inputs = 0;  // whose first token is a special one

  void add(const HeadScores& scores, bool first_is_special);
  void merge(const HeadTotals& other);
  bool first_is_special() const { return 2 * first_special_inputs > inputs; }
};

// A head by its numbers; the mean over a layer comes after its heads.
struct HeadId {
  std::size_t layer = 0;
  bool is_mean = false;
  std::size_t head = 0;
  // clang-tidy 14 takes the 0 that the compiler compares with for a null pointer.
  auto operator<=>(const HeadId&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct ScoreTotals {
  std::map<HeadId, HeadTotals> heads;
  std::uint64_t inputs = 0;
  std::uint64_t failed = 0;  // inputs that could not be read
  std::uint64_t hash = 0;    // of all inputs, in any order

  // Counts one input and its hash; its heads are added to `heads`.
  void add_input(std::uint64_t input_hash);
  void merge(const ScoreTotals& other);
};

}  // namespace mha
