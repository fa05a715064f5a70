#include "mha/render/bars.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"

#include "bar_series.hpp"
#include "grid_plan.hpp"

namespace mha::render {
namespace {

constexpr std::size_t kMostLines = 60;  // keys that get a line each; more become columns

// 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten, not below `value`.
double round_up(double value) {
  if (!(value > 0)) return 0;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (double factor : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (factor * power >= value * (1 - 1e-6)) return factor * power;
  }
  return 10 * power;
}

BarSeries make_series(const BarsFigure& figure, const PictureStyle& style) {
  const std::size_t n = figure.values.size();
  if (n == 0 || (!figure.states.empty() && figure.states.size() != n)) {
    throw Error(ErrorKind::kInternal, "bars without values, or with states of another number");
  }
  BarSeries series{{1, n, figure.values, figure.states}, figure.keys, 1, 0, 0};
  PictureStyle of_keys = style;
  of_keys.cell_px = 0;
  series.pool = pool_factor(n, of_keys);
  if (series.pool > 1) series.cells = pool_cells(series.cells, series.pool);
  series.keys.pool = std::max<std::size_t>(series.keys.pool, 1) * series.pool;
  for (std::size_t i = 0; i < series.cells.cols; ++i) {
    const double value = series.cells.values[i];
    if (series.cells.state(i) != CellState::kValue || !std::isfinite(value)) continue;
    series.low = std::min(series.low, value);
    series.high = std::max(series.high, value);
  }
  series.low = -round_up(-series.low);
  series.high = round_up(series.high);
  if (series.low == series.high) series.high = 1;
  return series;
}

}  // namespace

Drawing draw_bars(const BarsFigure& figure, const PictureStyle& style, Typesetter& typesetter) {
  const BarSeries series = make_series(figure, style);
  const auto draw = series.cells.cols <= kMostLines ? draw_bar_lines : draw_bar_columns;
  const PictureStyle fitted = fit_width(style, [&](const PictureStyle& tried) {
    return draw(figure, series, tried, typesetter).width;
  });
  return draw(figure, series, fitted, typesetter);
}

}  // namespace mha::render
