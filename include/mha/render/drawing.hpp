// A picture as a list of what is drawn, in order: the same list becomes pixels, SVG or PDF. Lengths
// are pixels, y grows downwards.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "mha/render/color.hpp"
#include "mha/render/image.hpp"
#include "mha/render/text_bitmap.hpp"

namespace mha::render {

// Where cells go: the first one's corner, their size, and the line between them (0: none).
struct CellPlace {
  int x = 0;
  int y = 0;
  int cell_width = 1;
  int cell_height = 1;
  int separator = 0;

  // Of all cells, without the line after the last ones: a frame takes its place.
  Rect area(std::size_t rows, std::size_t cols) const {
    return {x, y, static_cast<int>(cols) * cell_width - separator,
            static_cast<int>(rows) * cell_height - separator};
  }
  Rect cell(std::size_t row, std::size_t col) const {
    return {x + static_cast<int>(col) * cell_width, y + static_cast<int>(row) * cell_height,
            cell_width - separator, cell_height - separator};
  }
};

// The characters of numbers in cells, set once.
struct NumberGlyphs {
  static constexpr std::string_view kCharacters = "0123456789.-";

  std::array<TextBitmap, kCharacters.size()> glyphs;
  double cap_height = 0;

  const TextBitmap& of(char c) const { return glyphs[kCharacters.find(c)]; }
};

struct FillOp {
  Rect rect;
  Rgb color;
};

// The outline of `rect`, `stroke` pixels wide, outside of it.
struct FrameOp {
  Rect rect;
  int stroke = 1;
  Rgb color;
};

// Diagonal strokes of `stroke` px every `spacing` px; they continue from one rect to the next.
struct HatchOp {
  Rect rect;
  int spacing = 1;
  int stroke = 1;
  Rgb color;
};

// The pen (start of the baseline) is at (x, y).
struct TextOp {
  TextBitmap text;
  int x = 0;
  int y = 0;
  Rgb color;
};

// rows x cols cells, row-major, with lines of colour `line` after each.
struct CellsOp {
  CellPlace place;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<Rgb> colors;
  Rgb line;
};

struct NumbersOp {
  struct Number {
    std::array<char, 5> text{};  // ends with 0
    double x = 0;                // of the pen
    int y = 0;
    Rgb color;
  };
  std::shared_ptr<const NumberGlyphs> glyphs;
  std::vector<Number> numbers;
};

// A filled shape with an edge (see markers.hpp), centred on the pixel (x, y). Both masks have their
// pen in the middle.
struct Marker {
  std::size_t kind = 0;
  double radius = 1;
  double inset = 0;  // of the inside from the edge, in radii
  TextBitmap edge;
  TextBitmap inside;
  Rgb edge_color;
  Rgb color;
};

struct MarkerOp {
  Marker marker;
  int x = 0;
  int y = 0;
};

struct PointF {
  double x = 0;
  double y = 0;
};

// A cubic Bézier curve with flat ends; straight where the middle points lie on the line.
struct CurveOp {
  std::array<PointF, 4> points;
  double width = 1;
  double opacity = 1;
  Rgb color;
};

using DrawingOp =
    std::variant<FillOp, FrameOp, HatchOp, TextOp, CellsOp, NumbersOp, MarkerOp, CurveOp>;

struct Drawing {
  int width = 1;
  int height = 1;
  int dpi = 0;  // 0: not said; vector files then take 144
  std::string title;
  Rgb background;
  std::vector<DrawingOp> ops;
};

// Pixels; everything is clipped to the image.
Image rasterize(const Drawing& drawing);

}  // namespace mha::render
