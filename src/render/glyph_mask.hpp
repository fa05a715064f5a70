// Putting rasterised glyphs together into one label.
#pragma once

#include <cstdint>
#include <vector>

#include "mha/render/text_bitmap.hpp"

namespace mha::render {

// One glyph's pixels; (left, top) is relative to the pen at the start of the text, y down. Either
// `coverage` (1 byte a pixel) or `color` (premultiplied RGBA) is filled.
struct GlyphImage {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> coverage;
  std::vector<std::uint8_t> color;
};

// An affine map of the plane: (x, y) -> (xx * x + xy * y + dx, yx * x + yy * y + dy).
struct Affine {
  double xx = 1;
  double xy = 0;
  double yx = 0;
  double yy = 1;
  double dx = 0;
  double dy = 0;
};

// `source` (premultiplied RGBA; left and top unused) drawn through `map`, which takes its pixel
// coordinates to text coordinates. Each pixel averages the source under it.
GlyphImage warp_color(const GlyphImage& source, const Affine& map);

// All glyphs in one bitmap that just holds them. Coverage has 16 steps: no eye sees more, and the
// picture has fewer colours.
TextBitmap join_glyphs(const std::vector<GlyphImage>& glyphs, double advance);

// Turned by 90 degrees counter-clockwise without loss: the text reads upwards.
TextBitmap turned_up(const TextBitmap& text);

}  // namespace mha::render
