// Named points of a plane.
#pragma once

#include <vector>

#include "mha/render/drawing.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"
#include "mha/render/layout.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

// Boxes of absent parts have zero width.
struct ScatterLayout {
  int width = 0;
  int height = 0;
  Rect title;
  Rect caption;
  Rect plot;
  std::vector<PlacedLabel> points;  // the boxes of the markers; not of points without a place
  std::vector<PlacedLabel> names;   // of those that found room
  std::vector<Rect> x_ticks;
  std::vector<Rect> y_ticks;
  Rect x_title;
  Rect y_title;
  std::vector<Rect> legend;
  std::vector<Rect> notes;
};

// Every point with finite coordinates is drawn. Names that find no room are left out, the loneliest
// points' last; a note counts them, and another one the points that have no place.
Drawing draw_scatter(const ScatterFigure& figure, const PictureStyle& style,
                     Typesetter& typesetter);
ScatterLayout layout_scatter(const ScatterFigure& figure, const PictureStyle& style,
                             Typesetter& typesetter);

}  // namespace mha::render
