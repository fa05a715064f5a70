// Small figures and pixel helpers for the tests of this folder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mha/render/canvas.hpp"
#include "mha/render/colormap.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/layout.hpp"

namespace mha::render {

inline CellGrid make_grid(std::size_t rows, std::size_t cols, float value) {
  return {rows, cols, std::vector<float>(rows * cols, value),
          std::vector<CellState>(rows * cols, CellState::kValue)};
}

inline std::vector<std::string> make_labels(std::size_t n, const std::string& stem = "token") {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < n; ++i) labels.push_back(stem + std::to_string(i));
  return labels;
}

inline HeatmapFrame make_frame(std::size_t rows, std::size_t cols) {
  HeatmapFrame frame;
  frame.rows = {"query (attends from)", make_labels(rows), 1, 0};
  frame.cols = {"key (attends to)", make_labels(cols), 1, 0};
  return frame;
}

// The pixel near the top left corner of a cell, where no number is.
inline Rgb cell_pixel(const Image& image, const Rect& area, std::size_t row, std::size_t col,
                      std::size_t rows, std::size_t cols) {
  const int height = area.height / static_cast<int>(rows);
  const int width = area.width / static_cast<int>(cols);
  return image.pixel(area.x + static_cast<int>(col) * width + width / 8,
                     area.y + static_cast<int>(row) * height + height / 8);
}

inline std::size_t count_pixels(const Image& image, const Rect& area, Rgb color) {
  std::size_t n = 0;
  for (int y = area.y; y < area.bottom(); ++y) {
    for (int x = area.x; x < area.right(); ++x) n += image.pixel(x, y) == color;
  }
  return n;
}

// The first two of `boxes` that overlap, as text; "" when none do.
inline std::string overlap(const std::vector<Rect>& boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      if (boxes[i].overlaps(boxes[j])) return std::to_string(i) + " and " + std::to_string(j);
    }
  }
  return {};
}

inline std::vector<Rect> boxes_of(const std::vector<PlacedLabel>& labels) {
  std::vector<Rect> boxes;
  for (const PlacedLabel& label : labels) boxes.push_back(label.box);
  return boxes;
}

// Every box of a heatmap that has a size; turned column labels have boxes that may touch each other
// without the text doing so, and are left out.
inline std::vector<Rect> all_boxes(const HeatmapLayout& layout) {
  std::vector<Rect> boxes = {layout.title,     layout.caption,   layout.cells,    layout.color_bar,
                             layout.row_title, layout.col_title, layout.bar_title};
  const auto add = [&](const std::vector<Rect>& more) {
    boxes.insert(boxes.end(), more.begin(), more.end());
  };
  add(boxes_of(layout.row_labels));
  if (layout.col_angle != 45) add(boxes_of(layout.col_labels));
  add(layout.ticks);
  add(layout.legend);
  add(layout.notes);
  std::erase_if(boxes, [](const Rect& box) { return box.width == 0 || box.height == 0; });
  return boxes;
}

}  // namespace mha::render
