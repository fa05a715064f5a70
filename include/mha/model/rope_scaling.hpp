// Rotary positions beyond the length that a model was trained for: how config.json's rope_scaling
// changes the frequencies.
#pragma once

#include <cstddef>
#include <optional>

#include "mha/attention/rule.hpp"

namespace mha {

struct RopeScaling {
  enum class Kind {
    kNone,
    kLinear,   // all positions divided by factor (Chen et al. 2023)
    kDynamic,  // a larger base once the input is longer than the trained length ("NTK-aware")
    kLlama3,   // long wavelengths divided by factor, short ones kept, a ramp between (Llama 3.1)
    kYarn,     // the same by number of turns, and scores sharpened (Peng et al. 2023)
  };
  Kind kind = Kind::kNone;
  double factor = 1;
  double original_length = 0;  // tokens of the trained context
  double low_freq_factor = 1;  // kLlama3
  double high_freq_factor = 4;
  double beta_fast = 32;  // kYarn: turns over the trained context above which nothing is scaled,
  double beta_slow = 1;   // and below which all is
  bool truncates = true;  // kYarn: the ramp begins and ends at whole dimensions
  std::optional<double> attention_factor;  // kYarn: in place of 0.1 ln(factor) + 1
  std::optional<double> mscale;            // kYarn: weights of that formula
  std::optional<double> mscale_all_dim;
};

struct RopeConfig {
  double theta = 10000;
  RopeScaling scaling;
};

// The rotation of an input of n_tokens (kDynamic alone depends on it).
Rope rope_of(const RopeConfig& config, std::size_t d_head, std::size_t n_tokens);

}  // namespace mha
