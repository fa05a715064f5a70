// Softmax of one row in place, vectorised for the processor at hand.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace mha {

enum class SoftmaxOutcome {
  kOk,
  kNoFiniteScore,  // every score was minus infinity: the row was set to zero
  kNonFinite,      // a score was NaN or plus infinity: the row is NaN
};

// One implementation of the row passes. All of them agree to a few units in the last place.
struct SoftmaxKernel {
  std::string_view name;  // "avx512", "avx2", "portable"
  SoftmaxOutcome (*softmax_row)(float* row, std::size_t n);
  // y[i] = exp(x[i]) for x <= 0: relative error at most 2e-7 on [-87, 0], exactly 0 where the
  // result would be below the smallest normal float, NaN for NaN.
  void (*exp_row)(const float* x, float* y, std::size_t n);
};

// Every kernel that this processor can run, fastest first; the last is the portable one.
const std::vector<SoftmaxKernel>& softmax_kernels();

// Replaces scores by exp(s - max) / sum. A score of minus infinity gets exactly 0.
inline SoftmaxOutcome softmax_row(float* row, std::size_t n) {
  return softmax_kernels().front().softmax_row(row, n);
}

}  // namespace mha
