// A formula as pixels.
#pragma once

#include <string_view>
#include <vector>

#include "mha/render/canvas.hpp"
#include "mha/render/font.hpp"

namespace mha::render {

// Pens and bars are relative to the begin of the baseline.
struct FormulaBox {
  struct Piece {
    TextBitmap text;
    int x = 0;
    int y = 0;
  };
  std::vector<Piece> pieces;
  std::vector<Rect> bars;
  int width = 0;
  int ascent = 0;  // of the line, with room for raised parts
  int height = 0;
};

// In letters of `px`, or smaller ones where the line would be wider than max_width.
FormulaBox set_formula(std::string_view markup, double px, int max_width, Typesetter& type);

// Draws it with its top left corner at (x, y).
void draw_formula(Canvas* canvas, const FormulaBox& box, int x, int y, Rgb color);

}  // namespace mha::render
