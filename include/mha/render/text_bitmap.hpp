// One line of text, rasterised: immutable, shared freely among threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mha/render/set_text.hpp"

namespace mha::render {

// A mask of width x height coverage bytes. The pen (start of the baseline) is at pixel
// (pen_x, pen_y) of the mask, which may lie outside of it. `color` is empty, or (for colour emoji)
// holds premultiplied RGBA of the same size that is drawn over the mask. `set` is the same text as
// glyphs; null for masks that are no text.
struct TextBitmap {
  int width = 0;
  int height = 0;
  int pen_x = 0;
  int pen_y = 0;
  double advance = 0;  // length along the baseline, px
  std::vector<std::uint8_t> coverage;
  std::vector<std::uint8_t> color;
  std::shared_ptr<const SetText> set;

  bool empty() const { return width == 0 || height == 0; }
};

}  // namespace mha::render
