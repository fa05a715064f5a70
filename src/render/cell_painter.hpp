// A matrix of cells as pixels.
#pragma once

#include <array>
#include <string>

#include "mha/render/canvas.hpp"
#include "mha/render/colormap.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"

#include "sizes.hpp"

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

// The digits, ready to be put into cells. Made once, used by all threads.
struct NumberGlyphs {
  std::array<TextBitmap, 12> glyphs;  // "0123456789.-"
  double cap_height = 0;
  bool usable = false;
};

// Not usable where a number would not fit into a cell of this size.
NumberGlyphs number_glyphs(int cell_width, int cell_height, const Sizes& sizes, Typesetter& type);

// ".93", "1", "3.2", "-14"; empty for what says nothing (below 0.005 in size) or is too long.
std::string cell_number(float value);

Rgb cell_color(float value, CellState state, const ValueScale& scale, const Colormap& map,
               const Theme& theme);

// A colour for a number that stands out from its cell, fainter where the cell is close to zero's.
Rgb number_color(Rgb cell, Rgb zero);

// The smallest number worth writing: a tenth of the largest in the picture. Below it the colour
// says all there is to say, and a row of equal small numbers would only be noise.
double worth_writing(const CellGrid& cells);

// Line between cells of this size: none where it would eat much of them.
int separator_for(int cell_px, const Sizes& sizes);

// Strokes over fully masked rows, for a legend's square as well.
void hatch_masked(Canvas* canvas, const Rect& rect, const Theme& theme, const Sizes& sizes);

void paint_cells(Canvas* canvas, const CellGrid& cells, const ColorScale& colors,
                 const CellPlace& place, const PictureStyle& style);

// Numbers in a colour that stands out from the cell, fainter where the cell is close to the colour
// of `zero`. Where numbers of both signs are expected, all are left out of cells that are too
// narrow for a sign: negative ones would be missing.
struct NumberInk {
  Rgb zero;
  bool has_signs = false;

  NumberInk(const ColorScale& colors, const Theme& theme);
};
void paint_numbers(Canvas* canvas, const CellGrid& cells, const NumberInk& ink,
                   const CellPlace& place, const NumberGlyphs& numbers);

}  // namespace mha::render
