// Boxes of lines, and paragraphs: words wrapped to a width.
#pragma once

#include <cmath>
#include <string_view>
#include <vector>

#include "mha/render/canvas.hpp"
#include "mha/render/font.hpp"

namespace mha::render {

// Length along the baseline, in whole pixels.
inline int advance_px(const TextBitmap& text) {
  return static_cast<int>(std::ceil(text.advance));
}

// The pixels that `text` covers with its pen at this place.
inline Rect text_box(const TextBitmap& text, int pen_x, int pen_y) {
  return {pen_x - text.pen_x, pen_y - text.pen_y, text.width, text.height};
}

struct TextBlock {
  std::vector<TextBitmap> lines;
  int line_height = 0;
  int ascent = 0;
  int width = 0;

  int height() const { return line_height * static_cast<int>(lines.size()); }
};

// Empty text gives no lines. A word wider than `max_width` is cut in its middle.
TextBlock set_block(std::string_view text, TextStyle style, double max_width, Typesetter& type);

// Draws the lines from the left at `x`, the first one's top at `y`.
void draw_block(Canvas* canvas, const TextBlock& block, int x, int y, Rgb color);

// Where draw_block() puts them.
Rect block_box(const TextBlock& block, int x, int y);

}  // namespace mha::render
