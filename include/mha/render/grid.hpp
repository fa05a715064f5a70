// All heads in one picture.
#pragma once

#include "mha/render/drawing.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"
#include "mha/render/layout.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

struct GridLayout {
  int width = 0;
  int height = 0;
  Rect title;
  Rect caption;
  std::vector<Rect> panels;  // row-major; places without a panel too
  std::vector<PlacedLabel> row_names;
  std::vector<PlacedLabel> col_names;
  std::vector<PlacedLabel> row_labels;  // tokens, when panels are large enough
  std::vector<PlacedLabel> col_labels;
  Rect color_bar;
  std::vector<Rect> legend;
  std::vector<Rect> notes;
};

// Colour of the edge for kind `index`: seven that most eyes tell apart (Okabe and Ito 2008, without
// their black), then again from the first.
Rgb kind_color(std::size_t index);

// Panels with more cells than pixels are pooled by maximum here, and a note says so: the caller may
// pass the maps that the single heads were drawn from.
Drawing draw_grid(const GridFigure& figure, const PictureStyle& style, Typesetter& typesetter);
GridLayout layout_grid(const GridFigure& figure, const PictureStyle& style, Typesetter& typesetter);

}  // namespace mha::render
