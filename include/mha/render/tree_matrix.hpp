// Distances between named items, beside the tree that joins them.
#pragma once

#include <optional>
#include <vector>

#include "mha/render/drawing.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"
#include "mha/render/layout.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

// Boxes of absent parts have zero width.
struct TreeMatrixLayout {
  int width = 0;
  int height = 0;
  Rect title;
  Rect caption;
  Rect tree;  // distance 0 at its right edge
  Rect tree_title;
  std::vector<Rect> tree_ticks;
  std::vector<int> merges;  // the x of each merge's upright stroke
  std::optional<int> cut;   // the x of the dashed line
  Rect groups;
  Rect cells;
  std::vector<PlacedLabel> row_labels;
  std::vector<PlacedLabel> col_labels;
  int col_angle = 0;
  Rect color_bar;
  Rect bar_title;
  std::vector<Rect> ticks;
  std::vector<Rect> legend;
  std::vector<Rect> notes;
};

// At least one name. More names than max_size: cells are pooled by their mean, and a note says so.
Drawing draw_tree_matrix(const TreeMatrixFigure& figure, const PictureStyle& style,
                         Typesetter& typesetter);
TreeMatrixLayout layout_tree_matrix(const TreeMatrixFigure& figure, const PictureStyle& style,
                                    Typesetter& typesetter);

}  // namespace mha::render
