#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "mha/base/checked.hpp"
#include "mha/base/deflate.hpp"
#include "mha/base/exact_sum.hpp"
#include "mha/base/half.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"

namespace mha {
namespace {

// The value of a 16-bit float from its definition: sign, exponent and mantissa fields.
float slow_value(unsigned bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits >> 15) != 0 ? -1 : 1;
  const int exponent = static_cast<int>((bits >> mantissa_bits) & ((1u << exponent_bits) - 1));
  const unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
  const double fraction = std::ldexp(static_cast<double>(mantissa), -mantissa_bits);
  if (exponent == (1 << exponent_bits) - 1) {
    if (mantissa != 0) return std::numeric_limits<float>::quiet_NaN();
    return static_cast<float>(sign) * std::numeric_limits<float>::infinity();
  }
  if (exponent == 0) return static_cast<float>(sign * std::ldexp(fraction, 1 - bias));
  return static_cast<float>(sign * std::ldexp(1 + fraction, exponent - bias));
}

bool same_float(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

TEST_CASE("all 65536 half floats have the value of their definition") {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float value = half_to_float(static_cast<std::uint16_t>(bits));
    if (!same_float(value, slow_value(bits, 5, 10))) FAIL("0x" << std::hex << bits);
  }
  CHECK(half_to_float(0x3C00) == 1.0F);
  CHECK(half_to_float(0x0001) == 0x1p-24F);
  CHECK(half_to_float(0x7BFF) == 65504.0F);
}

TEST_CASE("all 65536 bfloat16 patterns have the value of their definition") {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float value = bfloat16_to_float(static_cast<std::uint16_t>(bits));
    if (!same_float(value, slow_value(bits, 8, 7))) FAIL("0x" << std::hex << bits);
  }
}

TEST_CASE("an exact sum is the same bits in every order and however it is split") {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> numbers(-1e6, 1e6);
  std::vector<double> terms(10000);
  for (double& term : terms) term = numbers(engine);
  ExactSum forward;
  for (double term : terms) forward.add(term);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(terms.begin(), terms.end(), engine);
    ExactSum parts[3];
    for (std::size_t i = 0; i < terms.size(); ++i) parts[i % 3].add(terms[i]);
    parts[2].merge(parts[0]);
    parts[2].merge(parts[1]);
    CHECK(parts[2].value() == forward.value());
  }
}

TEST_CASE("an exact sum neither loses small terms beside large ones nor drifts") {
  ExactSum sum;
  sum.add(1e9);
  for (int i = 0; i < 1000; ++i) sum.add(1e-9);
  sum.add(-1e9);
  CHECK(sum.value() == Approx(1e-6).epsilon(1e-6));
  ExactSum tenths;
  for (int i = 0; i < 1000000; ++i) tenths.add(0.1);
  CHECK(std::fabs(tenths.value() - 100000) < 1e-9);
}

TEST_CASE("sizes that would wrap are refused") {
  constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();
  CHECK(checked_mul(1 << 20, 1 << 20) == std::size_t{1} << 40);
  CHECK(checked_mul(kHuge, 0) == 0);
  CHECK(checked_add(kHuge, 0) == kHuge);
  CHECK(element_count({}) == 1);
  CHECK(element_count({3, 4, 5}) == 60);
  CHECK(element_count({kHuge, 0}) == 0);
  const std::string expected = "size is too large for this machine";
  CHECK(test::error_of([] { checked_mul(kHuge, 2); }) == expected);
  CHECK(test::error_of([] { checked_add(kHuge, 1); }) == expected);
  CHECK(test::error_of([] { element_count({1ull << 32, 1ull << 31, 4}); }) == expected);
  CHECK(ceil_div(7, 3) == 3);
  CHECK(ceil_div(6, 3) == 2);
  CHECK(ceil_div(0, 3) == 0);
  CHECK(ceil_div(kHuge, 2) == kHuge / 2 + 1);  // no overflow on the way
}

TEST_CASE("checksums and compression are those of zlib") {
  const std::string text = "123456789";
  const auto bytes = [](const std::string& s) {
    return std::span(reinterpret_cast<const std::uint8_t*>(s.data()), s.size());
  };
  CHECK(crc32(bytes(text)) == 0xCBF43926u);  // the check value of CRC-32
  const std::string zeros(100000, '\0');
  const std::vector<std::uint8_t> packed = zlib_compress(bytes(zeros), 6);
  CHECK(packed.size() < 1000);
  CHECK(packed[0] == 0x78);                        // zlib, 32 KiB window
  CHECK((packed[0] * 256 + packed[1]) % 31 == 0);  // its header check
  CHECK_FALSE(zlib_compress({}, 6).empty());
}

}  // namespace
}  // namespace mha
