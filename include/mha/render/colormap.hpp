// From a value to a colour.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mha/render/color.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

using Colormap = std::array<Rgb, 256>;

// viridis, cividis, magma, blues, greys: maps for values from nothing upwards.
const std::vector<std::string>& colormap_names();

// The map of this name; "" is the theme's default (light: blues, dark: magma). blues and greys
// start at the paper: they are reversed on a dark theme, so that zero stays quiet. "diverging" goes
// from blue over the paper (both middle colours) to orange. Throws Error(kUsage) with a suggestion
// for an unknown name.
const Colormap& colormap_named(std::string_view name, bool dark);

// For differences: -largest is blue, 0 exactly the middle colour, +largest orange. A `largest` that
// is not a positive number counts as 1, so that 0 keeps its colour.
ColorScale symmetric_scale(double largest);
bool is_diverging(const ColorScale& colors);

// The colour of "nothing": the middle of a diverging map, the begin of any other.
Rgb zero_color(const ColorScale& colors, bool dark);

// "linear", "sqrt", "log", "row"; throws Error(kUsage) with a suggestion for another name.
ScaleKind scale_named(std::string_view name);
std::string_view scale_name(ScaleKind kind);
const std::vector<std::string>& scale_names();

// Maps finite values to [0, 1]. Not for kRow by itself: there the caller makes one per row with
// `row_scale`. Values outside [low, high] are clamped; low == high maps everything to 1 when the
// value is above 0 and to 0 otherwise.
class ValueScale {
 public:
  explicit ValueScale(const ColorScale& colors);

  double position(double value) const;
  // The value at a position in [0, 1].
  double value(double position) const;
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  ScaleKind kind_;
  double low_;
  double high_;
};

// The scale of one row under kRow: linear from 0 (or the smallest value, if negative) to the
// largest finite value of the row.
ValueScale row_scale(std::span<const float> values, std::span<const CellState> states);

// A mark of the colour bar: a position in [0, 1] and its text.
struct Tick {
  double position;
  std::string text;
};

// Round ticks for a bar, at most about `max_ticks`; with signs where the map is diverging.
std::vector<Tick> round_ticks(const ColorScale& colors, std::size_t max_ticks);

// Ticks of a linear axis at the multiples of the smallest round step not below `least_step`.
std::vector<Tick> axis_ticks(double low, double high, double least_step);

// "attention weight, sqrt scale"; only the name for a linear scale.
std::string scale_title(const std::string& value_name, const ColorScale& colors);

}  // namespace mha::render
