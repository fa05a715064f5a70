// Size arithmetic that cannot wrap: every size that comes from a file or a flag goes through here.
#pragma once

#include <cstddef>
#include <vector>

#include "mha/base/error.hpp"

namespace mha {

inline std::size_t checked_mul(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) fail_input("size is too large for this machine");
  return product;
}

inline std::size_t checked_add(std::size_t a, std::size_t b) {
  std::size_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) fail_input("size is too large for this machine");
  return sum;
}

// Number of elements of an array of this shape; 1 for a scalar.
inline std::size_t element_count(const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  for (std::size_t n : shape) count = checked_mul(count, n);
  return count;
}

// Smallest q with q * b >= a; b > 0.
constexpr std::size_t ceil_div(std::size_t a, std::size_t b) {
  return a / b + (a % b != 0);
}

}  // namespace mha
