// Paragraphs: words wrapped to a width.
#pragma once

#include <string_view>
#include <vector>

#include "mha/render/canvas.hpp"
#include "mha/render/font.hpp"

namespace mha::render {

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
