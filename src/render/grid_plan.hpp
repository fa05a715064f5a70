// Sizes of the panels of an overview.
#pragma once

#include <cstddef>

#include "mha/render/figure.hpp"

#include "sizes.hpp"

namespace mha::render {

struct GridPlan {
  std::size_t panels_down = 1;
  std::size_t panels_across = 1;
  std::size_t rows = 1;  // cells of a panel, after pooling
  std::size_t cols = 1;
  std::size_t pool = 1;  // cells of the input for one that is drawn, each way
  int cell_width = 1;
  int cell_height = 1;
  int panel_width = 1;
  int panel_height = 1;
  int row_gap = 0;
  int col_gap = 0;
  bool has_token_labels = false;

  // Of all panels and the gaps between them.
  int width() const { return static_cast<int>(panels_across) * (panel_width + col_gap) - col_gap; }
  int height() const { return static_cast<int>(panels_down) * (panel_height + row_gap) - row_gap; }
};

GridPlan plan_grid(const GridFigure& figure, const PictureStyle& style);

// k x k cells become one: the largest finite value; NaN or infinity where one is among them; masked
// only where all are.
CellGrid pool_cells(const CellGrid& cells, std::size_t k);

}  // namespace mha::render
