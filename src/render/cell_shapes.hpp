// Cells as the shapes of vector files.
#pragma once

#include <vector>

#include "mha/render/drawing.hpp"

namespace mha::render {

// One cell, or neighbours of one colour in a row that no line parts. `meets_*`: other cells begin
// where it ends.
struct CellStrip {
  Rect rect;
  Rgb color;
  bool meets_right = false;
  bool meets_below = false;
};
std::vector<CellStrip> cell_strips(const CellsOp& op);

// The lines between rows and between columns.
std::vector<Rect> cell_lines(const CellsOp& op);

}  // namespace mha::render
