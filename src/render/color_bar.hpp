// The bar that says which colour means which number.
#pragma once

#include <string>
#include <vector>

#include "mha/render/canvas.hpp"
#include "mha/render/colormap.hpp"
#include "mha/render/font.hpp"

#include "sizes.hpp"

namespace mha::render {

struct ColorBar {
  struct Mark {
    int offset = 0;  // from the low end, px
    TextBitmap text;
  };

  bool upright = true;
  int length = 0;
  int thickness = 0;
  int stroke = 1;  // of its frame and marks
  const Colormap* map = nullptr;
  std::vector<Mark> marks;
  TextBitmap title;
  // All of it, title and numbers included; the bar itself starts `lead` px after the begin along
  // its length, and `top` px below the begin when it lies flat.
  int width = 0;
  int height = 0;
  int lead = 0;
  int top = 0;
  int title_line = 0;
  int number_line = 0;  // height of a line of numbers

  // Baseline of the numbers of a flat bar that begins at y.
  int y_of_numbers(int y) const { return y + height - number_line / 4; }
};

ColorBar make_color_bar(const std::string& value_name, const ColorScale& colors,
                        const PictureStyle& style, int length, bool upright, Typesetter& type);

// Draws it with its top left corner at (x, y); returns the box of the colours alone.
Rect draw_color_bar(Canvas* canvas, const ColorBar& bar, int x, int y, const Theme& theme);

// The same boxes without drawing: of the colours, the title and each number.
struct ColorBarBoxes {
  Rect colors;
  Rect title;
  std::vector<Rect> marks;
};
ColorBarBoxes color_bar_boxes(const ColorBar& bar, int x, int y);

}  // namespace mha::render
