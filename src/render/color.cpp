#include "mha/render/color.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace mha::render {
namespace {

std::uint8_t mix_channel(std::uint8_t a, std::uint8_t b, double weight) {
  return static_cast<std::uint8_t>(std::lround(a + (b - a) * weight));
}

double linear_light(std::uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

}  // namespace

Rgb mix(Rgb a, Rgb b, double weight) {
  return {mix_channel(a.r, b.r, weight), mix_channel(a.g, b.g, weight),
          mix_channel(a.b, b.b, weight)};
}

std::string hex_text(Rgb color) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", color.r, color.g, color.b);
  return text.data();
}

double luminance(Rgb color) {
  return 0.2126 * linear_light(color.r) + 0.7152 * linear_light(color.g) +
         0.0722 * linear_light(color.b);
}

}  // namespace mha::render
