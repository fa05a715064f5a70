// Pixels, and the few strokes that a figure needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "mha/render/color.hpp"
#include "mha/render/pixel_buffer.hpp"
#include "mha/render/text_bitmap.hpp"

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

// Everything is clipped to the image.
class Canvas {
 public:
  Canvas(int width, int height, Rgb background);

  int width() const { return image_.width; }
  int height() const { return image_.height; }
  Image& image() { return image_; }
  Image take() { return std::move(image_); }

  void fill(const Rect& rect, Rgb color);
  // The outline of `rect`, `stroke` pixels wide, drawn outside of it.
  void frame(const Rect& rect, int stroke, Rgb color);
  // Diagonal strokes of `stroke` px every `spacing` px; they continue from one rect to the next.
  void hatch(const Rect& rect, int spacing, int stroke, Rgb color);
  // `text` with its pen (start of the baseline) at (x, y).
  void text(const TextBitmap& text, int x, int y, Rgb color);

 private:
  Rect clip(const Rect& rect) const;
  Image image_;
};

}  // namespace mha::render
