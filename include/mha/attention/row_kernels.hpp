// The passes over one row of scores or weights (and of what a feed-forward part holds), vectorised
// for the processor at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mha {

enum class SoftmaxOutcome {
  kOk,
  kNoFiniteScore,  // every score was minus infinity: the row was set to zero
  kNonFinite,      // a score was NaN or plus infinity: the row is NaN
};

// What one pass over a row of weights gives. Zeros (masked cells among them) add nothing. When
// `total` is not finite, some weight is not, and the other members mean nothing.
struct WeightSums {
  double total = 0;     // sum of w
  double entropy = 0;   // sum of -w ln w, nats
  double distance = 0;  // sum of w |offset + index|
  double offset = 0;    // sum of w (offset + index)
  float largest = 0;    // at least 0
  float smallest = 0;   // at most 0: below it when some weight is negative
};

// The cheap part of WeightSums.
struct WeightRange {
  double total = 0;    // not finite when some weight is not
  float largest = 0;   // at least 0
  float smallest = 0;  // at most 0
};

// One implementation of the passes. All of them agree to a few units in the last place.
struct RowKernels {
  std::string_view name;  // "avx512", "avx2", "portable"

  // Replaces scores by exp(s - max) / sum; a score of minus infinity gets exactly 0.
  SoftmaxOutcome (*softmax_row)(float* row, std::size_t n);
  // y[i] = exp(x[i]) for x <= 0: relative error at most 2e-7 on [-87, 0], exactly 0 where the
  // result would be below the smallest normal float, NaN for NaN.
  void (*exp_row)(const float* x, float* y, std::size_t n);

  // The parts of softmax_row, for rows that come in pieces. row_maximum passes over NaN and is
  // minus infinity for an empty piece; exp_and_sum replaces s by exp(s - maximum) and returns their
  // sum, which is NaN when a score is NaN or the maximum infinite.
  float (*row_maximum)(const float* row, std::size_t n);
  double (*exp_and_sum)(float* row, std::size_t n, float maximum);
  void (*scale_row)(float* row, std::size_t n, float factor);

  // Sums over weights that stand at offset, offset + 1, ... from the query (key minus query
  // position). Weights below the smallest normal float count as 0 in the entropy.
  WeightSums (*weight_sums)(const float* row, std::size_t n, float offset);
  WeightRange (*weight_range)(const float* row, std::size_t n);

  // Index of the first weight that equals `value`, or n.
  std::size_t (*find_value)(const float* row, std::size_t n, float value);
  // sums[i] += row[i] in units of 2^-23, rounded to the nearest.
  void (*add_units)(const float* row, std::size_t n, std::int32_t* sums);

  // Entropy in nats of the mean of two rows, m = (p + q) / 2: sum of -m ln m, with m below the
  // smallest normal float counting as 0. Not finite when some weight is not. The same bits for
  // (p, q) and (q, p); (p, p) gives the entropy of p.
  double (*mixture_entropy)(const float* p, const float* q, std::size_t n);

  // The activations of feed-forward parts, which live on the same exponential: x Phi(x) with the
  // error function, its approximation by tanh (Hendrycks and Gimpel 2016, eq. 2), x / (1 + e^-x).
  void (*gelu_row)(float* row, std::size_t n);
  void (*gelu_tanh_row)(float* row, std::size_t n);
  void (*silu_row)(float* row, std::size_t n);
};

// The kernels that this processor can run, fastest first; the last is the portable one.
const std::vector<RowKernels>& all_row_kernels();

// The fastest.
inline const RowKernels& row_kernels() {
  return all_row_kernels().front();
}

inline SoftmaxOutcome softmax_row(float* row, std::size_t n) {
  return row_kernels().softmax_row(row, n);
}

}  // namespace mha
