// The arithmetic of one query and one key through a walkthrough, number by number.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "mha/analysis/walkthrough.hpp"

namespace mha {

struct TokenPair {
  std::size_t query = 0;
  std::size_t key = 0;

  bool operator==(const TokenPair&) const = default;
};

// One product of a sum: a * b, at place `index` of the things summed over.
struct Term {
  std::size_t index = 0;
  double a = 0;
  double b = 0;

  double product() const { return a * b; }
};

// A sum of products with its largest terms (by size, largest first).
struct SumOfProducts {
  std::vector<Term> largest;  // at most 3
  std::size_t n_terms = 0;
  double total = 0;
};

enum class MaskPart : std::uint8_t { kNone, kCausal, kWindow, kValidKeys, kMask, kBias };

// One number of the output row of the query: column `column` of the head's output, the one to which
// the key gives most.
struct HeadColumn {
  std::size_t column = 0;
  SumOfProducts sum;  // over keys: weight * value
};

// One number of the layer's output row of the query: the column to which the head gives most.
struct OutputColumn {
  std::size_t column = 0;
  double from_head = 0;
  double from_others = 0;
  double bias = 0;
  double total = 0;
  std::optional<double> input;  // X there, with a residual
};

struct PairNumbers {
  TokenPair pair;
  std::optional<SumOfProducts> dot;  // q . k, where Q and K are known
  // The score of the pair after each score step, from kScores to the last before the weights.
  std::vector<std::pair<StepKind, double>> scores;
  double slope = 0;     // with kAlibi
  double distance = 0;  // |p_i - j|, with kAlibi
  double bias = 0;      // with kBias
  MaskPart masked_by = MaskPart::kNone;
  // The row of the softmax: over the keys that are allowed.
  double row_maximum = 0;
  double exponential = 0;  // exp(score - row_maximum); 0 where masked
  double row_sum = 0;
  double weight = 0;
  std::optional<HeadColumn> head;
  std::optional<OutputColumn> output;
};

// The pair must lie within the shape.
PairNumbers pair_numbers(const Walkthrough& walk, TokenPair pair);

// Tokens that tell little: one flag a query and a key, or empty.
struct DullTokens {
  std::vector<bool> queries;
  std::vector<bool> keys;
};

// The pair with the largest weight, off the diagonal and between tokens that are not dull; where
// that is below a tenth of the largest weight off the diagonal, the pair with that one; without
// either, the largest of all.
TokenPair telling_pair(const Walkthrough& walk, const DullTokens& dull);

}  // namespace mha
