// A sum that does not depend on the order of its terms.
#pragma once

#include <cstdint>

namespace mha {

// Adds doubles in fixed point, in units of 2^-60: each term is rounded once, toward zero, and
// integer addition is associative. So threads, row blocks and merged partial results give the same
// bits whatever their order. Range +-2^67; terms must be finite. Error of a sum of n terms:
// below n * 2^-60 (about 1e-12 for a million terms).
class ExactSum {
 public:
  void add(double term) {
    // Small terms fit 64 bits, and converting to those takes one instruction.
    const bool is_small = term > -8 && term < 8;
    units_ += is_small ? static_cast<Units>(static_cast<std::int64_t>(term * kUnitsPerOne))
                       : static_cast<Units>(term * kUnitsPerOne);
  }
  void merge(const ExactSum& other) { units_ += other.units_; }
  double value() const { return static_cast<double>(units_) / kUnitsPerOne; }

  // All bits, for partial results that are merged later.
  std::int64_t high() const { return static_cast<std::int64_t>(units_ >> 64); }
  std::uint64_t low() const { return static_cast<std::uint64_t>(units_); }
  static ExactSum from_bits(std::int64_t high, std::uint64_t low) {
    ExactSum out;
    out.units_ = static_cast<Units>(high) * (static_cast<Units>(1) << 64) + static_cast<Units>(low);
    return out;
  }

  friend bool operator==(const ExactSum& a, const ExactSum& b) { return a.units_ == b.units_; }

 private:
  static constexpr double kUnitsPerOne = 1152921504606846976.0;  // 2^60
  __extension__ using Units = __int128;
  Units units_ = 0;
};

}  // namespace mha
