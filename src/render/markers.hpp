// Shapes of points: colours alone do not tell kinds apart for every eye, nor on every printer.
#pragma once

#include <cstddef>
#include <vector>

#include "mha/render/drawing.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

// Of kind `kind`: circle, square, triangle, diamond, triangle downwards, cross, plus, star, then
// again from the first. Eight shapes and seven colours: 56 kinds look different. `size` is the
// diameter of the circle in px; other shapes have about its area.
Marker make_marker(std::size_t kind, int size, Rgb color, const Theme& theme);

// Of a point without a kind: a small circle in the theme's grey.
Marker plain_marker(int size, const Theme& theme);

// The corners of this kind's shape, for a radius of 1, where it is `inset` radii deep; y grows
// downwards. Empty for a circle.
std::vector<PointF> marker_corners(std::size_t kind, double inset);

}  // namespace mha::render
