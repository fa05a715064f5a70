// Text sizes and distances of all pictures, in pixels, for one style.
#pragma once

#include <cmath>

#include "mha/render/font.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

struct Sizes {
  explicit Sizes(const PictureStyle& style) : scale(ui_scale(style)) {}

  int px(double at_144_dpi) const { return static_cast<int>(std::lround(at_144_dpi * scale)); }

  TextStyle title() const { return {.px = 23 * scale, .bold = true}; }
  TextStyle caption() const { return {.px = 16 * scale}; }
  TextStyle axis_title(int angle) const { return {.px = 15 * scale, .angle = angle}; }
  TextStyle label() const { return {.px = 15 * scale}; }
  TextStyle tick() const { return {.px = 14 * scale}; }
  TextStyle note() const { return {.px = 13 * scale}; }

  int margin() const { return px(22); }
  int gap() const { return px(8); }
  int stroke() const { return px(1); }
  double smallest_label() const { return 11.5 * scale; }
  double longest_label() const { return 180 * scale; }
  double longest_name() const { return 300 * scale; }  // of things that are not tokens
  int longest_bar() const { return px(420); }          // of colours
  // Cell areas lower than this have no room for a rotated title or an upright colour bar.
  int flat() const { return px(170); }

  double scale;
};

}  // namespace mha::render
