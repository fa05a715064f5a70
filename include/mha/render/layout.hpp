// Where the parts of a picture go. Pure arithmetic on measured sizes, so that tests can look at it.
#pragma once

#include <cstddef>
#include <vector>

#include "mha/render/image.hpp"

namespace mha::render {

// A label that is drawn: which token or cell, and the box it covers.
struct PlacedLabel {
  std::size_t index = 0;
  Rect box;
};

// The parts of a heatmap picture, in pixels. Boxes of absent parts have zero width.
struct HeatmapLayout {
  int width = 0;
  int height = 0;
  Rect title;
  Rect caption;
  Rect cells;
  Rect color_bar;
  Rect row_title;
  Rect col_title;
  std::vector<PlacedLabel> row_labels;
  std::vector<PlacedLabel> col_labels;
  int col_angle = 0;  // degrees that they are turned by
  std::vector<Rect> ticks;
  std::vector<Rect> legend;
  std::vector<Rect> notes;
  Rect bar_title;
};

// Which of n labels, `pitch` px apart, to draw so that neighbours keep at least `needed` px
// between their centres: every k-th, always first and last. k is round (1, 2, 5, 10, 20, ...).
std::vector<std::size_t> thin_labels(std::size_t n, double pitch, double needed);

}  // namespace mha::render
