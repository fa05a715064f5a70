#include "mha/render/canvas.hpp"

#include <algorithm>

namespace mha::render {
namespace {

std::uint8_t blend(std::uint8_t under, std::uint8_t over, unsigned alpha) {
  return static_cast<std::uint8_t>((under * (255 - alpha) + over * alpha + 127) / 255);
}

void blend_pixel(std::uint8_t* pixel, Rgb color, unsigned alpha) {
  pixel[0] = blend(pixel[0], color.r, alpha);
  pixel[1] = blend(pixel[1], color.g, alpha);
  pixel[2] = blend(pixel[2], color.b, alpha);
}

// `over` is premultiplied RGBA.
void blend_premultiplied(std::uint8_t* pixel, const std::uint8_t* over) {
  for (int c = 0; c < 3; ++c) {
    const unsigned under = (pixel[c] * (255U - over[3]) + 127) / 255;
    pixel[c] = static_cast<std::uint8_t>(std::min(255U, under + over[c]));
  }
}

}  // namespace

Canvas::Canvas(int width, int height, Rgb background) {
  image_.width = std::max(width, 1);
  image_.height = std::max(height, 1);
  image_.rgb.resize(3 * static_cast<std::size_t>(image_.width) *
                    static_cast<std::size_t>(image_.height));
  fill({0, 0, image_.width, image_.height}, background);
}

Rect Canvas::clip(const Rect& rect) const {
  const int x0 = std::clamp(rect.x, 0, image_.width);
  const int y0 = std::clamp(rect.y, 0, image_.height);
  const int x1 = std::clamp(rect.right(), x0, image_.width);
  const int y1 = std::clamp(rect.bottom(), y0, image_.height);
  return {x0, y0, x1 - x0, y1 - y0};
}

void Canvas::fill(const Rect& rect, Rgb color) {
  const Rect r = clip(rect);
  if (r.width == 0 || r.height == 0) return;
  std::uint8_t* first = image_.at(r.x, r.y);
  for (int x = 0; x < r.width; ++x) {
    first[3 * x] = color.r;
    first[3 * x + 1] = color.g;
    first[3 * x + 2] = color.b;
  }
  for (int y = r.y + 1; y < r.bottom(); ++y) std::copy_n(first, 3 * r.width, image_.at(r.x, y));
}

void Canvas::frame(const Rect& rect, int stroke, Rgb color) {
  fill({rect.x - stroke, rect.y - stroke, rect.width + 2 * stroke, stroke}, color);
  fill({rect.x - stroke, rect.bottom(), rect.width + 2 * stroke, stroke}, color);
  fill({rect.x - stroke, rect.y, stroke, rect.height}, color);
  fill({rect.right(), rect.y, stroke, rect.height}, color);
}

void Canvas::hatch(const Rect& rect, int spacing, int stroke, Rgb color) {
  const Rect r = clip(rect);
  for (int y = r.y; y < r.bottom(); ++y) {
    for (int x = r.x; x < r.right(); ++x) {
      if ((x + y) % spacing >= stroke) continue;
      std::uint8_t* pixel = image_.at(x, y);
      pixel[0] = color.r;
      pixel[1] = color.g;
      pixel[2] = color.b;
    }
  }
}

void Canvas::text(const TextBitmap& text, int x, int y, Rgb color) {
  const int left = x - text.pen_x;
  const int top = y - text.pen_y;
  const Rect r = clip({left, top, text.width, text.height});
  for (int py = r.y; py < r.bottom(); ++py) {
    const std::size_t row = static_cast<std::size_t>(py - top) * text.width;
    for (int px = r.x; px < r.right(); ++px) {
      const std::size_t i = row + static_cast<std::size_t>(px - left);
      std::uint8_t* pixel = image_.at(px, py);
      if (text.coverage[i] != 0) blend_pixel(pixel, color, text.coverage[i]);
      if (!text.color.empty() && text.color[4 * i + 3] != 0) {
        blend_premultiplied(pixel, &text.color[4 * i]);
      }
    }
  }
}

}  // namespace mha::render
