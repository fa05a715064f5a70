// A matrix of cells.
#pragma once

#include <memory>
#include <string>

#include "mha/render/canvas.hpp"
#include "mha/render/colormap.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"

#include "sizes.hpp"

namespace mha::render {

// Null where a number would not fit into a cell of this size.
std::shared_ptr<const NumberGlyphs> number_glyphs(int cell_width, int cell_height,
                                                  const Sizes& sizes, Typesetter& type);

// ".93", "1", "3.2", "-14"; empty for what says nothing (below 0.005 in size) or is too long.
std::string cell_number(float value);

Rgb cell_color(float value, CellState state, const ValueScale& scale, const Colormap& map,
               const Theme& theme);

// A colour for a number in a cell, fainter where the cell is close to zero's; its contrast is 4.5
// or more.
Rgb number_color(Rgb cell, Rgb zero);

// The smallest number worth writing: a tenth of the largest in the picture. Below it the colour
// says all there is to say, and a row of equal small numbers would only be noise.
double worth_writing(const CellGrid& cells);

// Line between cells of this size: none where it would eat much of them.
int separator_for(int cell_px, const Sizes& sizes);

// Strokes over fully masked rows, for a legend's square as well.
void hatch_masked(Canvas* canvas, const Rect& rect, const Theme& theme, const Sizes& sizes);

// Where and how cells are drawn. With `numbers`, each cell says its value in a colour that stands
// out from it, fainter where the cell is close to the colour of zero. Where numbers of both signs
// are expected, all are left out of cells that are too narrow for a sign: negative ones would be
// missing.
struct CellLook {
  CellPlace place;
  std::shared_ptr<const NumberGlyphs> numbers = nullptr;
};

void paint_cells(Canvas* canvas, const CellGrid& cells, const ColorScale& colors,
                 const CellLook& look, const PictureStyle& style);

}  // namespace mha::render
