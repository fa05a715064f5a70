// Token labels along one side of a matrix: which to draw, how turned, where.
#pragma once

#include <cstddef>
#include <vector>

#include "mha/render/canvas.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"
#include "mha/render/layout.hpp"

#include "sizes.hpp"

namespace mha::render {

// The cells along one side: `count` of them, `px` pixels each.
struct CellRun {
  std::size_t count = 0;
  int px = 1;

  int extent() const { return static_cast<int>(count) * px; }
};

// A label ready to draw; `box` and the pen are relative to the corner of the cell area: for rows
// its top left corner (labels have negative x), for columns its bottom left corner.
struct AxisLabel {
  std::size_t token = 0;
  bool marked = false;
  int center = 0;  // along the axis
  TextBitmap text;
  int pen_x = 0;
  int pen_y = 0;
  TextBitmap number;  // the token's position, where labels are thinned
  int number_x = 0;
  int number_y = 0;
  Rect box;  // of both
};

struct AxisLabels {
  std::vector<AxisLabel> labels;
  int angle = 0;
  bool thinned = false;     // not every token has a label: marks show which ones do
  int stroke = 1;           // of these marks
  int depth = 0;            // from the cells outwards
  int overhang_before = 0;  // beyond the first and last cell
  int overhang_after = 0;
  std::vector<int> marks;  // centres of all marked tokens, for those whose label is thinned away
};

struct LabelOptions {
  LabelMode mode = LabelMode::kAuto;
  double px = 15;  // usual size; shrinks to `smallest` where that lets all labels in
  double smallest = 11.5;
  double thinned = 13;   // size where it does not
  double longest = 180;  // longer labels lose their middle
  int gap = 8;           // from the cells to the text
  int stroke = 1;        // of the marks of thinned labels
  bool numbered = true;  // thinned labels get the token's position beside them
};

LabelOptions usual_labels(const PictureStyle& style, const Sizes& sizes);

AxisLabels row_labels(const Axis& axis, CellRun cells, const LabelOptions& options,
                      Typesetter& type);
AxisLabels col_labels(const Axis& axis, CellRun cells, const LabelOptions& options,
                      Typesetter& type);

// Number of tokens along the axis.
std::size_t token_count(const Axis& axis, std::size_t cells);

// Draws them at a corner (see AxisLabel), with marks when the labels are thinned.
void draw_row_labels(Canvas* canvas, const AxisLabels& labels, int x, int y, const Theme& theme);
void draw_col_labels(Canvas* canvas, const AxisLabels& labels, int x, int y, const Theme& theme);

// The accent for a marked label, else the usual one.
Rgb ink_of(const AxisLabel& label, const Theme& theme);

std::vector<PlacedLabel> placed(const AxisLabels& labels, int x, int y);

}  // namespace mha::render
