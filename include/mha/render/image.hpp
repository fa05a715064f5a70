// Pixels, and rectangles of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mha/render/color.hpp"
#include "mha/render/pixel_buffer.hpp"

namespace mha::render {

// 3 bytes a pixel, rows from the top, no padding.
struct Image {
  int width = 0;
  int height = 0;
  PixelBuffer rgb;

  std::uint8_t* at(int x, int y) {
    return rgb.data() + 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                             static_cast<std::size_t>(x));
  }
  const std::uint8_t* at(int x, int y) const { return const_cast<Image*>(this)->at(x, y); }
  Rgb pixel(int x, int y) const {
    const std::uint8_t* p = at(x, y);
    return {p[0], p[1], p[2]};
  }
};

// Half-open: [x, x + width) x [y, y + height).
struct Rect {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  int right() const { return x + width; }
  int bottom() const { return y + height; }
  bool overlaps(const Rect& o) const {
    return x < o.right() && o.x < right() && y < o.bottom() && o.y < bottom();
  }
  bool contains(const Rect& o) const {
    return x <= o.x && y <= o.y && o.right() <= right() && o.bottom() <= bottom();
  }
  bool operator==(const Rect&) const = default;
};

}  // namespace mha::render
