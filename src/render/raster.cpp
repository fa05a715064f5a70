// A drawing as pixels.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "mha/render/drawing.hpp"

#include "curves.hpp"

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

void put(std::uint8_t* pixel, Rgb color) {
  pixel[0] = color.r;
  pixel[1] = color.g;
  pixel[2] = color.b;
}

// Draws one operation after the other.
class Raster {
 public:
  explicit Raster(const Drawing& drawing) {
    image_.width = drawing.width;
    image_.height = drawing.height;
    image_.rgb.resize(3 * static_cast<std::size_t>(image_.width) *
                      static_cast<std::size_t>(image_.height));
    fill({0, 0, image_.width, image_.height}, drawing.background);
  }

  Image take() { return std::move(image_); }

  void operator()(const FillOp& op) { fill(op.rect, op.color); }
  void operator()(const FrameOp& op);
  void operator()(const HatchOp& op);
  void operator()(const TextOp& op) { text(op.text, op.x, op.y, op.color); }
  void operator()(const CellsOp& op);
  void operator()(const NumbersOp& op);
  void operator()(const MarkerOp& op);
  void operator()(const CurveOp& op);

 private:
  Rect clip(const Rect& rect) const;
  void fill(const Rect& rect, Rgb color);
  void text(const TextBitmap& text, int x, int y, Rgb color);

  Image image_;
};

Rect Raster::clip(const Rect& rect) const {
  const int x0 = std::clamp(rect.x, 0, image_.width);
  const int y0 = std::clamp(rect.y, 0, image_.height);
  const int x1 = std::clamp(rect.right(), x0, image_.width);
  const int y1 = std::clamp(rect.bottom(), y0, image_.height);
  return {x0, y0, x1 - x0, y1 - y0};
}

void Raster::fill(const Rect& rect, Rgb color) {
  const Rect r = clip(rect);
  if (r.width == 0 || r.height == 0) return;
  std::uint8_t* first = image_.at(r.x, r.y);
  for (int x = 0; x < r.width; ++x) put(first + 3 * static_cast<std::ptrdiff_t>(x), color);
  for (int y = r.y + 1; y < r.bottom(); ++y) std::copy_n(first, 3 * r.width, image_.at(r.x, y));
}

void Raster::operator()(const FrameOp& op) {
  const Rect& rect = op.rect;
  const int stroke = op.stroke;
  fill({rect.x - stroke, rect.y - stroke, rect.width + 2 * stroke, stroke}, op.color);
  fill({rect.x - stroke, rect.bottom(), rect.width + 2 * stroke, stroke}, op.color);
  fill({rect.x - stroke, rect.y, stroke, rect.height}, op.color);
  fill({rect.right(), rect.y, stroke, rect.height}, op.color);
}

void Raster::operator()(const HatchOp& op) {
  const Rect r = clip(op.rect);
  for (int y = r.y; y < r.bottom(); ++y) {
    for (int x = r.x; x < r.right(); ++x) {
      if ((x + y) % op.spacing < op.stroke) put(image_.at(x, y), op.color);
    }
  }
}

void Raster::text(const TextBitmap& text, int x, int y, Rgb color) {
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

// One pixel line of a row of cells, copied to the others. Layouts keep cells inside the picture.
void Raster::operator()(const CellsOp& op) {
  const CellPlace& place = op.place;
  const int filled = place.cell_width - place.separator;
  const std::size_t bytes = 3 * op.cols * static_cast<std::size_t>(place.cell_width);
  for (std::size_t r = 0; r < op.rows; ++r) {
    const int y = place.y + static_cast<int>(r) * place.cell_height;
    std::uint8_t* first = image_.at(place.x, y);
    std::uint8_t* pixel = first;
    for (std::size_t c = 0; c < op.cols; ++c) {
      const Rgb color = op.colors[r * op.cols + c];
      for (int i = 0; i < place.cell_width; ++i, pixel += 3)
        put(pixel, i < filled ? color : op.line);
    }
    for (int i = 1; i < place.cell_height - place.separator; ++i) {
      std::copy_n(first, bytes, image_.at(place.x, y + i));
    }
    const int bottom = y + place.cell_height - place.separator;
    fill({place.x, bottom, static_cast<int>(op.cols) * place.cell_width, place.separator}, op.line);
  }
}

void Raster::operator()(const NumbersOp& op) {
  for (const NumbersOp::Number& number : op.numbers) {
    double x = number.x;
    for (const char* c = number.text.data(); *c != 0; ++c) {
      const TextBitmap& glyph = op.glyphs->of(*c);
      text(glyph, static_cast<int>(std::lround(x)), number.y, number.color);
      x += glyph.advance;
    }
  }
}

void Raster::operator()(const MarkerOp& op) {
  text(op.marker.edge, op.x, op.y, op.marker.edge_color);
  text(op.marker.inside, op.x, op.y, op.marker.color);
}

void Raster::operator()(const CurveOp& op) {
  const CurveMask mask = curve_mask(op, {0, 0, image_.width, image_.height});
  for (int y = 0; y < mask.box.height; ++y) {
    for (int x = 0; x < mask.box.width; ++x) {
      const float part = mask.coverage[static_cast<std::size_t>(y) * mask.box.width + x];
      if (part <= 0) continue;
      const auto alpha = static_cast<unsigned>(std::lround(255 * op.opacity * part));
      blend_pixel(image_.at(mask.box.x + x, mask.box.y + y), op.color, alpha);
    }
  }
}

}  // namespace

Image rasterize(const Drawing& drawing) {
  Raster raster(drawing);
  for (const DrawingOp& op : drawing.ops)
    std::visit([&raster](const auto& each) { raster(each); }, op);
  return raster.take();
}

}  // namespace mha::render
