// The row passes, written once on vectors of kWidth floats. Each row_kernels_*.cpp compiles this
// text for one instruction set. No standard header is included: an inline function of theirs,
// compiled here for AVX, could be picked by the linker for code that must run without it.
#pragma once

#include "mha/attention/row_kernels.hpp"

namespace mha::MHA_KERNEL_NAMESPACE {

using Floats = float __attribute__((vector_size(MHA_KERNEL_WIDTH * 4)));
using Bits = unsigned __attribute__((vector_size(MHA_KERNEL_WIDTH * 4)));
constexpr std::size_t kWidth = MHA_KERNEL_WIDTH;

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
  if (n < kWidth) {
    float largest_short = lowest;
    for (std::size_t i = 0; i < n; ++i)
      largest_short = row[i] > largest_short ? row[i] : largest_short;
    return largest_short;
  }
  // The last vector overlaps the one before it, which a maximum does not mind.
  Floats last = load(row + n - kWidth);
  const Floats hidden = broadcast(lowest);
  Floats largest = last > hidden ? last : hidden;
  for (std::size_t i = 0; i + kWidth <= n; i += kWidth) {
    const Floats v = load(row + i);
    largest = v > largest ? v : largest;
  }
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

// ln(x) for normal x > 0: x = 2^e m with m in [sqrt(1/2), sqrt(2)), ln x = e ln 2 + ln(1 + f) with
// f = m - 1 and ln(1 + f) = f - f^2/2 + f^3 P(f) (coefficients of Cephes' logf, Moshier 1992).
inline Floats log_normal(Floats x) {
  constexpr unsigned kSqrtHalfBits = 0x3F3504F3U;  // sqrt(1/2)
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  // Shifting the bits by those of sqrt(1/2) puts the cut between exponents at sqrt(2).
  const Bits shifted = (Bits)x - kSqrtHalfBits;
  using Signed = int __attribute__((vector_size(sizeof(Floats))));
  const Signed exponent = (Signed)shifted >> 23;
  const Floats e = __builtin_convertvector(exponent, Floats);
  const Floats m = (Floats)((Bits)x - ((Bits)exponent << 23U));
  const Floats f = m - 1.0F;
  Floats p = broadcast(7.0376836292e-2F);
  p = p * f - 1.1514610310e-1F;
  p = p * f + 1.1676998740e-1F;
  p = p * f - 1.2420140846e-1F;
  p = p * f + 1.4249322787e-1F;
  p = p * f - 1.6668057665e-1F;
  p = p * f + 2.0000714765e-1F;
  p = p * f - 2.4999993993e-1F;
  p = p * f + 3.3333331174e-1F;
  const Floats square = f * f;
  return e * kLn2High + (f + (e * kLn2Low + square * (f * p - 0.5F)));
}

// Sums of a stretch of weights in float, a lane each.
struct LaneSums {
  Floats total, entropy, distance, offset, largest, smallest;
};

inline void add_weights(Floats w, Floats offset, LaneSums* sums) {
  constexpr float kSmallestNormal = 1.17549435e-38F;
  const Floats zero = broadcast(0.0F);
  const Floats one = broadcast(1.0F);
  const Floats information = w * log_normal(w < kSmallestNormal ? one : w);
  const Floats away = offset < zero ? -offset : offset;
  sums->total += w;
  sums->entropy -= information;
  sums->distance += w * away;
  sums->offset += w * offset;
  sums->largest = w > sums->largest ? w : sums->largest;
  sums->smallest = w < sums->smallest ? w : sums->smallest;
}

inline WeightSums weight_sums(const float* row, std::size_t n, float offset) {
  constexpr std::size_t kStretch = 64 * kWidth;
  WeightSums out;
  const Floats zero = broadcast(0.0F);
  Floats lane = zero;
  for (std::size_t i = 0; i < kWidth; ++i) lane[i] = static_cast<float>(i);
  for (std::size_t start = 0; start < n; start += kStretch) {
    const std::size_t end = start + kStretch < n ? start + kStretch : n;
    LaneSums sums{zero, zero, zero, zero, zero, zero};
    std::size_t i = start;
    for (; i + kWidth <= end; i += kWidth) {
      add_weights(load(row + i), lane + (offset + static_cast<float>(i)), &sums);
    }
    if (i < end) {
      const Floats tail = load_tail(row + i, end - i, 0.0F);
      add_weights(tail, lane + (offset + static_cast<float>(i)), &sums);
    }
    out.total += sum_lanes(sums.total);
    out.entropy += sum_lanes(sums.entropy);
    out.distance += sum_lanes(sums.distance);
    out.offset += sum_lanes(sums.offset);
    const float largest = largest_lane(sums.largest);
    out.largest = largest > out.largest ? largest : out.largest;
    const float smallest = -largest_lane(-sums.smallest);
    out.smallest = smallest < out.smallest ? smallest : out.smallest;
  }
  return out;
}

// Several accumulators side by side: one alone would wait for each addition.
inline WeightRange weight_range(const float* row, std::size_t n) {
  constexpr std::size_t kWays = 4;
  constexpr std::size_t kStretch = 64 * kWidth;
  WeightRange out;
  const Floats zero = broadcast(0.0F);
  Floats largest[kWays] = {zero, zero, zero, zero};
  Floats smallest[kWays] = {zero, zero, zero, zero};
  const auto take = [&](Floats w, std::size_t way, Floats* total) {
    *total += w;
    largest[way] = w > largest[way] ? w : largest[way];
    smallest[way] = w < smallest[way] ? w : smallest[way];
  };
  std::size_t i = 0;
  while (i < n) {
    const std::size_t end = i + kStretch < n ? i + kStretch : n;
    Floats total[kWays] = {zero, zero, zero, zero};
    for (; i + kWays * kWidth <= end; i += kWays * kWidth) {
      for (std::size_t way = 0; way < kWays; ++way) {
        take(load(row + i + way * kWidth), way, &total[way]);
      }
    }
    for (; i + kWidth <= end; i += kWidth) take(load(row + i), 0, &total[0]);
    if (i < end) take(load_tail(row + i, end - i, 0.0F), 0, &total[0]);
    i = end;
    out.total += sum_lanes((total[0] + total[1]) + (total[2] + total[3]));
  }
  for (std::size_t way = 0; way < kWays; ++way) {
    const float high = largest_lane(largest[way]);
    const float low = -largest_lane(-smallest[way]);
    out.largest = high > out.largest ? high : out.largest;
    out.smallest = low < out.smallest ? low : out.smallest;
  }
  return out;
}

inline std::size_t find_value(const float* row, std::size_t n, float value) {
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    const auto same = load(row + i) == value;
    bool found = false;
    for (std::size_t lane = 0; lane < kWidth; ++lane) found = found || same[lane] != 0;
    if (found) break;
  }
  while (i < n && row[i] != value) ++i;
  return i;
}

inline void add_units(const float* row, std::size_t n, std::int32_t* sums) {
  constexpr float kUnitsPerOne = 8388608.0F;  // 2^23
  using Integers = std::int32_t __attribute__((vector_size(sizeof(Floats))));
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    Integers sum;
    __builtin_memcpy(&sum, sums + i, sizeof sum);
    sum += __builtin_convertvector(load(row + i) * kUnitsPerOne + 0.5F, Integers);
    __builtin_memcpy(sums + i, &sum, sizeof sum);
  }
  for (; i < n; ++i) sums[i] += static_cast<std::int32_t>(row[i] * kUnitsPerOne + 0.5F);
}

// -m ln m of each lane, m = (p + q) / 2.
inline Floats mixture_information(Floats p, Floats q) {
  constexpr float kSmallestNormal = 1.17549435e-38F;
  const Floats m = (p + q) * 0.5F;
  return -m * log_normal(m < kSmallestNormal ? broadcast(1.0F) : m);
}

inline double mixture_entropy(const float* p, const float* q, std::size_t n) {
  constexpr std::size_t kStretch = 64 * kWidth;
  double entropy = 0;
  for (std::size_t start = 0; start < n; start += kStretch) {
    const std::size_t end = start + kStretch < n ? start + kStretch : n;
    Floats sum = broadcast(0.0F);
    std::size_t i = start;
    for (; i + kWidth <= end; i += kWidth) sum += mixture_information(load(p + i), load(q + i));
    if (i < end) {
      const Floats p_tail = load_tail(p + i, end - i, 0.0F);
      sum += mixture_information(p_tail, load_tail(q + i, end - i, 0.0F));
    }
    entropy += sum_lanes(sum);
  }
  return entropy;
}

inline void exp_row(const float* x, float* y, std::size_t n) {
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) store(exp_nonpositive(load(x + i)), y + i);
  if (i < n) store_tail(exp_nonpositive(load_tail(x + i, n - i, 0.0F)), y + i, n - i);
}

inline Floats negative_magnitude(Floats x) {
  return x > broadcast(0.0F) ? -x : x;
}

// x / (1 + e^-z). The exponential is taken of -|z|, which cannot overflow.
inline Floats times_sigmoid(Floats x, Floats z) {
  const Floats one = broadcast(1.0F);
  const Floats e = exp_nonpositive(negative_magnitude(z));
  return x * (z < broadcast(0.0F) ? e : one) / (one + e);
}

inline Floats silu(Floats x) {
  return times_sigmoid(x, x);
}

// 0.5 x (1 + tanh u) = x / (1 + e^-2u), u = sqrt(2 / pi) (x + 0.044715 x^3).
inline Floats gelu_tanh(Floats x) {
  constexpr float kTwiceSqrt2OverPi = 1.59576912160573071F;
  return times_sigmoid(x, kTwiceSqrt2OverPi * (x + 0.044715F * x * x * x));
}

// ln erfc(z) + z^2 for z >= 0 and t = 1 / (1 + z / 2): a Chebyshev fit whose erfc has a relative
// error of at most 1.2e-7 (Press et al., Numerical Recipes, 2nd edition, section 6.2).
inline Floats log_scaled_erfc(Floats t) {
  Floats sum = broadcast(0.17087277F);
  sum = sum * t - 0.82215223F;
  sum = sum * t + 1.48851587F;
  sum = sum * t - 1.13520398F;
  sum = sum * t + 0.27886807F;
  sum = sum * t - 0.18628806F;
  sum = sum * t + 0.09678418F;
  sum = sum * t + 0.37409196F;
  sum = sum * t + 1.00002368F;
  return sum * t - 1.26551223F;
}

// x Phi(x), with Phi(x) = erfc(-x / sqrt 2) / 2.
inline Floats gelu(Floats x) {
  constexpr float kSqrtHalf = 0.707106781186547524F;
  const Floats zero = broadcast(0.0F);
  const Floats one = broadcast(1.0F);
  const Floats z = -negative_magnitude(x) * kSqrtHalf;
  const Floats t = one / (one + 0.5F * z);
  const Floats power = log_scaled_erfc(t) - z * z;
  const Floats tail = 0.5F * t * exp_nonpositive(power > zero ? zero : power);  // Phi(-|x|)
  return x * (x < zero ? tail : one - tail);
}

template <Floats (*function)(Floats)>
inline void map_row(float* row, std::size_t n) {
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) store(function(load(row + i)), row + i);
  if (i < n) store_tail(function(load_tail(row + i, n - i, 0.0F)), row + i, n - i);
}

constexpr RowKernels make_kernels(std::string_view name) {
  return {name,
          softmax_row,
          exp_row,
          row_maximum,
          exp_and_sum,
          scale_row,
          weight_sums,
          weight_range,
          find_value,
          add_units,
          mixture_entropy,
          map_row<gelu>,
          map_row<gelu_tanh>,
          map_row<silu>};
}

}  // namespace mha::MHA_KERNEL_NAMESPACE
