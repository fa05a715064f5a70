// What layouts draw upon: it records.
#pragma once

#include <string>
#include <utility>

#include "mha/render/drawing.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

class Canvas {
 public:
  // In the style's background colour and resolution; at least one pixel.
  Canvas(int width, int height, const PictureStyle& style);

  Drawing take() { return std::move(drawing_); }

  // What the file says it is called.
  void name(std::string title) { drawing_.title = std::move(title); }
  void fill(const Rect& rect, Rgb color);
  // The outline of `rect`, `stroke` pixels wide, drawn outside of it.
  void frame(const Rect& rect, int stroke, Rgb color);
  // Diagonal strokes of `stroke` px every `spacing` px; they continue from one rect to the next.
  void hatch(const Rect& rect, int spacing, int stroke, Rgb color);
  // `text` with its pen (start of the baseline) at (x, y).
  void text(const TextBitmap& text, int x, int y, Rgb color);
  void cells(CellsOp cells);
  void numbers(NumbersOp numbers);
  // Centred on the pixel (x, y).
  void marker(const Marker& marker, int x, int y);
  void curve(const CurveOp& curve);

 private:
  Drawing drawing_;
};

}  // namespace mha::render
