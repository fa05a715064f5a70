// Shapes of points: colours alone do not tell kinds apart for every eye, nor on every printer.
#pragma once

#include <cstddef>

#include "mha/render/canvas.hpp"
#include "mha/render/style.hpp"
#include "mha/render/text_bitmap.hpp"

namespace mha::render {

// A filled shape with an edge; both masks have their pen in the middle.
struct Marker {
  TextBitmap edge;
  TextBitmap inside;
  Rgb edge_color;
  Rgb color;
};

// Of kind `kind`: circle, square, triangle, diamond, triangle downwards, cross, plus, star, then
// again from the first. Eight shapes and seven colours: 56 kinds look different. `size` is the
// diameter of the circle in px; other shapes have about its area.
Marker make_marker(std::size_t kind, int size, Rgb color, const Theme& theme);

// Of a point without a kind: a small circle in the theme's grey.
Marker plain_marker(int size, const Theme& theme);

// Centred on the pixel (x, y).
void draw_marker(Canvas* canvas, const Marker& marker, int x, int y);

}  // namespace mha::render
