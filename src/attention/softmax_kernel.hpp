// The softmax passes, written once on vectors of kWidth floats. Each softmax_*.cpp compiles this
// text for one instruction set. No standard header is included: an inline function of theirs,
// compiled here for AVX, could be picked by the linker for code that must run without it.
#pragma once

#include "mha/attention/softmax.hpp"

namespace mha::MHA_SOFTMAX_NAMESPACE {

using Floats = float __attribute__((vector_size(MHA_SOFTMAX_WIDTH * 4)));
using Ints = int __attribute__((vector_size(MHA_SOFTMAX_WIDTH * 4)));
constexpr std::size_t kWidth = MHA_SOFTMAX_WIDTH;

inline Floats load(const float* from) {
  Floats v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

inline void store(Floats v, float* to) {
  __builtin_memcpy(to, &v, sizeof v);
}

inline Floats broadcast(float x) {
  return Floats{} + x;
}

// Loads the last n < kWidth floats of a row and fills up with `filler`.
inline Floats load_tail(const float* from, std::size_t n, float filler) {
  Floats v = broadcast(filler);
  for (std::size_t i = 0; i < n; ++i) v[i] = from[i];
  return v;
}

inline void store_tail(Floats v, float* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = v[i];
}

// exp(x) for x <= 0. With n = round(x / ln 2) and r = x - n ln 2 in [-0.35, 0.35]:
// exp(x) = 2^n (1 + r + r^2 P(r)). P minimises the largest relative error of the whole (Remez
// exchange; the coefficients are those of Cephes' expf, Moshier 1992). ln 2 is split in two so that
// n times its first part is exact.
inline Floats exp_nonpositive(Floats x) {
  constexpr float kLog2e = 1.44269504088896341F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  constexpr float kSmallestNormal = 1.17549435e-38F;
  constexpr float kFloor = -88.0F;  // below it the result is 0; keeps n above -128

  const Floats floor = broadcast(kFloor);
  x = x < floor ? floor : x;  // NaN compares false and stays
  const Floats shifted = x * kLog2e + kRounder;
  const Floats n = shifted - kRounder;
  const Floats r = (x - n * kLn2High) - n * kLn2Low;
  Floats p = broadcast(1.9875691500e-4F);
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;

  // The low bits of `shifted` hold n in two's complement: move n + 127 into the exponent field.
  using Bits = unsigned __attribute__((vector_size(sizeof(Floats))));
  const Bits biased = (Bits)shifted - (Bits)broadcast(kRounder) + 127U;
  const Floats result = p * (Floats)(biased << 23U);
  const Floats zero = broadcast(0.0F);
  return result < broadcast(kSmallestNormal) ? zero : result;
}

inline float largest_lane(Floats v) {
  float largest = v[0];
  for (std::size_t i = 1; i < kWidth; ++i) largest = v[i] > largest ? v[i] : largest;
  return largest;
}

inline double sum_lanes(Floats v) {
  double sum = 0;
  for (std::size_t i = 0; i < kWidth; ++i) sum += static_cast<double>(v[i]);
  return sum;
}

// pass 1: row maximum; NaN is passed over here and shows up in the sum.
inline float row_maximum(const float* row, std::size_t n) {
  const float lowest = -__builtin_inff();
  Floats largest = broadcast(lowest);
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    const Floats v = load(row + i);
    largest = v > largest ? v : largest;
  }
  const Floats tail = load_tail(row + i, n - i, lowest);
  largest = tail > largest ? tail : largest;
  return largest_lane(largest);
}

// pass 2: row = exp(row - maximum); returns the sum. Lanes are added in float over short stretches
// and in double over the whole row, so that long rows lose nothing.
inline double exp_and_sum(float* row, std::size_t n, float maximum) {
  constexpr std::size_t kStretch = 64 * kWidth;
  double sum = 0;
  std::size_t i = 0;
  while (i + kWidth <= n) {
    const std::size_t stretch_end = i + kStretch < n ? i + kStretch : n;
    Floats partial = broadcast(0.0F);
    for (; i + kWidth <= stretch_end; i += kWidth) {
      const Floats e = exp_nonpositive(load(row + i) - maximum);
      store(e, row + i);
      partial += e;
    }
    sum += sum_lanes(partial);
  }
  if (i < n) {
    const Floats e = exp_nonpositive(load_tail(row + i, n - i, -__builtin_inff()) - maximum);
    store_tail(e, row + i, n - i);
    sum += sum_lanes(e);
  }
  return sum;
}

// pass 3: row *= factor.
inline void scale_row(float* row, std::size_t n, float factor) {
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) store(load(row + i) * factor, row + i);
  for (; i < n; ++i) row[i] *= factor;
}

inline SoftmaxOutcome softmax_row(float* row, std::size_t n) {
  const float maximum = row_maximum(row, n);
  if (maximum == -__builtin_inff()) {
    bool has_nan = false;
    for (std::size_t i = 0; i < n; ++i) has_nan = has_nan || row[i] != row[i];
    for (std::size_t i = 0; i < n; ++i) row[i] = has_nan ? __builtin_nanf("") : 0.0F;
    return has_nan ? SoftmaxOutcome::kNonFinite : SoftmaxOutcome::kNoFiniteScore;
  }
  const double sum = exp_and_sum(row, n, maximum);
  scale_row(row, n, static_cast<float>(1.0 / sum));
  if (sum == sum) return SoftmaxOutcome::kOk;
  for (std::size_t i = 0; i < n; ++i) row[i] = __builtin_nanf("");
  return SoftmaxOutcome::kNonFinite;
}

inline void exp_row(const float* x, float* y, std::size_t n) {
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) store(exp_nonpositive(load(x + i)), y + i);
  if (i < n) store_tail(exp_nonpositive(load_tail(x + i, n - i, 0.0F)), y + i, n - i);
}

}  // namespace mha::MHA_SOFTMAX_NAMESPACE
