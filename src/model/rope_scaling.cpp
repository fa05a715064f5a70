#include "mha/model/rope_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace mha {
namespace {

using Frequencies = std::vector<double>;

// Turns of each pair of dimensions a position: theta^(-2t / d) (Su et al. 2021).
Frequencies base_frequencies(double theta, std::size_t d_head) {
  Frequencies out(d_head / 2);
  for (std::size_t t = 0; t < out.size(); ++t) {
    out[t] = std::pow(theta, -2.0 * static_cast<double>(t) / static_cast<double>(d_head));
  }
  return out;
}

// The base grows so that the slowest pair turns as far over the input as it did over the trained
// length: theta (s n / L - (s - 1))^(d / (d - 2)).
double dynamic_theta(const RopeConfig& config, std::size_t d_head, std::size_t n_tokens) {
  const RopeScaling& scaling = config.scaling;
  const double length = std::max(static_cast<double>(n_tokens), scaling.original_length);
  const double d = static_cast<double>(d_head);
  const double growth = scaling.factor * length / scaling.original_length - (scaling.factor - 1);
  return d_head <= 2 ? config.theta : config.theta * std::pow(growth, d / (d - 2));
}

// Wavelengths above L / low are stretched by the factor, those below L / high are not; between
// them the two are mixed.
void stretch_llama3(const RopeScaling& scaling, Frequencies* frequencies) {
  for (double& frequency : *frequencies) {
    const double turns = scaling.original_length * frequency / (2 * std::numbers::pi);
    const double share = std::clamp(
        (turns - scaling.low_freq_factor) / (scaling.high_freq_factor - scaling.low_freq_factor),
        0.0, 1.0);
    frequency = (1 - share) * frequency / scaling.factor + share * frequency;
  }
}

// The dimension whose pair turns `turns` times over the trained length.
double dimension_of_turns(const RopeConfig& config, std::size_t d_head, double turns) {
  const double wavelength = config.scaling.original_length / (turns * 2 * std::numbers::pi);
  return static_cast<double>(d_head) * std::log(wavelength) / (2 * std::log(config.theta));
}

// Pairs below the first dimension are kept, those above the last are stretched (Peng et al. 2023,
// section 3.2).
void stretch_yarn(const RopeConfig& config, std::size_t d_head, Frequencies* frequencies) {
  const RopeScaling& scaling = config.scaling;
  double first = dimension_of_turns(config, d_head, scaling.beta_fast);
  double last = dimension_of_turns(config, d_head, scaling.beta_slow);
  if (scaling.truncates) {
    first = std::floor(first);
    last = std::ceil(last);
  }
  first = std::max(first, 0.0);
  last = std::min(last, static_cast<double>(d_head) - 1);
  if (first == last) last += 0.001;
  for (std::size_t t = 0; t < frequencies->size(); ++t) {
    const double stretched =
        std::clamp((static_cast<double>(t) - first) / (last - first), 0.0, 1.0);
    double& frequency = (*frequencies)[t];
    frequency = stretched * frequency / scaling.factor + (1 - stretched) * frequency;
  }
}

// How much longer yarn makes queries and keys.
double yarn_magnitude(const RopeScaling& scaling) {
  if (scaling.attention_factor) return *scaling.attention_factor;
  const auto formula = [&](double weight) {
    return scaling.factor <= 1 ? 1.0 : 0.1 * weight * std::log(scaling.factor) + 1;
  };
  if (scaling.mscale && scaling.mscale_all_dim) {
    return formula(*scaling.mscale) / formula(*scaling.mscale_all_dim);
  }
  return formula(1);
}

}  // namespace

Rope rope_of(const RopeConfig& config, std::size_t d_head, std::size_t n_tokens) {
  Rope rope;
  rope.theta = config.theta;
  switch (config.scaling.kind) {
    case RopeScaling::Kind::kNone:
      break;
    case RopeScaling::Kind::kLinear:
      rope.frequencies = base_frequencies(config.theta, d_head);
      for (double& frequency : rope.frequencies) frequency /= config.scaling.factor;
      break;
    case RopeScaling::Kind::kDynamic:
      rope.theta = dynamic_theta(config, d_head, n_tokens);
      break;
    case RopeScaling::Kind::kLlama3:
      rope.frequencies = base_frequencies(config.theta, d_head);
      stretch_llama3(config.scaling, &rope.frequencies);
      break;
    case RopeScaling::Kind::kYarn:
      rope.frequencies = base_frequencies(config.theta, d_head);
      stretch_yarn(config, d_head, &rope.frequencies);
      rope.magnitude = yarn_magnitude(config.scaling);
      break;
  }
  return rope;
}

}  // namespace mha
