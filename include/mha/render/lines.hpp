// One head as lines between tokens.
#pragma once

#include "mha/render/drawing.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

// In two columns, lines lead from a query on the left to a key on the right. As arcs, those above
// the tokens lead to earlier ones (to the left), those below to later ones, and a token's own is a
// drop on top of it. The stronger a weight, the wider and the less transparent its line; strong
// lines lie on top.
Drawing draw_lines(const LinesFigure& figure, const PictureStyle& style, Typesetter& typesetter);

}  // namespace mha::render
