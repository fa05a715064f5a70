// What the two forms of a bar figure share.
#pragma once

#include <string>

#include "mha/render/canvas.hpp"
#include "mha/render/colormap.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

// The values in drawing order: one bar a cell of the 1 x n `cells`, pooled where there are more
// than pixels; and the ends of the value axis, which includes 0.
struct BarSeries {
  CellGrid cells;
  Axis keys;
  std::size_t pool = 1;
  double low = 0;
  double high = 1;
};

inline ColorScale value_axis(const BarSeries& series) {
  return {.colormap = {}, .kind = ScaleKind::kLinear, .low = series.low, .high = series.high};
}

// A line for each key: label, bar, number.
Drawing draw_bar_lines(const BarsFigure& figure, const BarSeries& series, const PictureStyle& style,
                       Typesetter& type);

// A thin column for each key, for hundreds of them.
Drawing draw_bar_columns(const BarsFigure& figure, const BarSeries& series,
                         const PictureStyle& style, Typesetter& type);

}  // namespace mha::render
