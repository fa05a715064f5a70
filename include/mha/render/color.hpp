// One opaque colour.
#pragma once

#include <cstdint>
#include <string>

namespace mha::render {

struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;

  bool operator==(const Rgb&) const = default;
};

// rgb(0x3366cc).
constexpr Rgb rgb(std::uint32_t hex) {
  return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8),
          static_cast<std::uint8_t>(hex)};
}

// "#1b1f27", as CSS and SVG have it.
std::string hex_text(Rgb color);

// The colour `weight` (0..1) of the way from a to b.
Rgb mix(Rgb a, Rgb b, double weight);

// Perceived lightness, 0 (black) to 1 (white): WCAG relative luminance.
double luminance(Rgb color);

}  // namespace mha::render
