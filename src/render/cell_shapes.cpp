#include "cell_shapes.hpp"

namespace mha::render {

std::vector<CellStrip> cell_strips(const CellsOp& op) {
  const bool touch = op.place.separator == 0;
  std::vector<CellStrip> strips;
  for (std::size_t r = 0; r < op.rows; ++r) {
    for (std::size_t c = 0; c < op.cols;) {
      const Rgb color = op.colors[r * op.cols + c];
      std::size_t end = c + 1;
      while (touch && end < op.cols && op.colors[r * op.cols + end] == color) ++end;
      Rect rect = op.place.cell(r, c);
      rect.width += static_cast<int>(end - c - 1) * op.place.cell_width;
      strips.push_back({rect, color, touch && end < op.cols, touch && r + 1 < op.rows});
      c = end;
    }
  }
  return strips;
}

std::vector<Rect> cell_lines(const CellsOp& op) {
  const CellPlace& place = op.place;
  std::vector<Rect> lines;
  if (place.separator == 0) return lines;
  const Rect area = place.area(op.rows, op.cols);
  for (std::size_t r = 0; r + 1 < op.rows; ++r) {
    lines.push_back({area.x, place.cell(r, 0).bottom(), area.width, place.separator});
  }
  for (std::size_t c = 0; c + 1 < op.cols; ++c) {
    lines.push_back({place.cell(0, c).right(), area.y, place.separator, area.height});
  }
  return lines;
}

}  // namespace mha::render
