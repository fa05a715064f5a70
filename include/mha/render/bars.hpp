// One query's attention as bars over the keys.
#pragma once

#include "mha/render/drawing.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

// Up to about 60 keys: a line for each, with its number. More: columns, pooled by maximum (a note
// says so) where there are more keys than max_size pixels.
Drawing draw_bars(const BarsFigure& figure, const PictureStyle& style, Typesetter& typesetter);

}  // namespace mha::render
