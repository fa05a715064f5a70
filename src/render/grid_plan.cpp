#include "grid_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/base/checked.hpp"

#include "axis_labels.hpp"

namespace mha::render {
namespace {

constexpr double kUsualWidth = 1240;  // of all panels together, px
constexpr double kLargestPanel = 320;
constexpr double kLargestLone = 480;  // the panel of a 1 x 1 overview
constexpr double kLargestCell = 64;
constexpr double kSmallestPanel = 12;
constexpr double kThinnestPanel = 20;
constexpr double kLabelledPanel = 150;       // token labels from here on ...
constexpr double kLabelledPanelCell = 13.4;  // ... if cells are no smaller than a line of text

// Largest number of cells of any panel, each way; at least 1.
void find_cells(const GridFigure& figure, GridPlan* plan) {
  for (const auto& panel : figure.panels) {
    if (!panel) continue;
    plan->rows = std::max(plan->rows, panel->cells->rows);
    plan->cols = std::max(plan->cols, panel->cells->cols);
  }
}

// Chooses pooling and the side of a cell for panels of at most `limit` px, near `target`.
int choose_cell(double target, double limit, GridPlan* plan) {
  const std::size_t longest = std::max(plan->rows, plan->cols);
  plan->pool = std::max<std::size_t>(ceil_div(longest, static_cast<std::size_t>(limit)), 1);
  const auto cells = static_cast<double>(ceil_div(longest, plan->pool));
  plan->rows = ceil_div(plan->rows, plan->pool);
  plan->cols = ceil_div(plan->cols, plan->pool);
  const double most = std::max(std::floor(limit / cells), 1.0);
  return static_cast<int>(std::clamp(std::round(target / cells), 1.0, most));
}

int thickened(int cell, std::size_t count, double least) {
  return std::max(cell, static_cast<int>(std::ceil(least / static_cast<double>(count))));
}

struct Pooled {
  float value = -std::numeric_limits<float>::infinity();
  bool finite = false;
  bool broken = false;
  CellState state = CellState::kFullyMasked;

  void add(float cell, CellState cell_state) {
    if (cell_state == CellState::kValue && !std::isfinite(cell)) broken = true;
    if (cell_state == CellState::kValue && std::isfinite(cell)) {
      value = std::max(value, cell);
      finite = true;
    }
    if (cell_state == CellState::kMissing) state = CellState::kMissing;
    if (cell_state == CellState::kMasked && state == CellState::kFullyMasked) state = cell_state;
  }
};

}  // namespace

GridPlan plan_grid(const GridFigure& figure, const PictureStyle& style) {
  GridPlan plan;
  const double scale = ui_scale(style) * style.area;
  plan.panels_down = figure.row_names.size();
  plan.panels_across = figure.col_names.size();
  find_cells(figure, &plan);
  const auto most = static_cast<double>(std::max(plan.panels_down, plan.panels_across));
  const double largest = (most == 1 ? kLargestLone : kLargestPanel) * scale;
  const double limit = std::clamp(static_cast<double>(style.max_size) / most, kSmallestPanel,
                                  std::max(kSmallestPanel, largest * 1.25));
  const double across = static_cast<double>(plan.panels_across);
  const double tokens = static_cast<double>(std::max(plan.rows, plan.cols));
  const double target =
      std::min({kUsualWidth * scale / across, largest, tokens * kLargestCell * scale});
  int cell = choose_cell(target, limit, &plan);
  if (style.cell_px > 0) cell = std::min(cell, static_cast<int>(style.cell_px));
  const double thinnest = std::min(kThinnestPanel * scale, limit);
  plan.cell_width = thickened(cell, plan.cols, thinnest);
  plan.cell_height = thickened(cell, plan.rows, thinnest);
  plan.panel_width = static_cast<int>(plan.cols) * plan.cell_width;
  plan.panel_height = static_cast<int>(plan.rows) * plan.cell_height;
  const int smaller = std::min(plan.panel_width, plan.panel_height);
  const Sizes sizes(style);
  plan.col_gap = smaller >= sizes.px(140) ? sizes.px(20) : sizes.px(smaller >= 56 ? 8 : 5);
  plan.row_gap = plan.col_gap;
  plan.has_token_labels =
      style.labels != LabelMode::kNone && plan.pool == 1 && figure.frame.rows.pool <= 1 &&
      figure.frame.cols.pool <= 1 &&
      std::max(plan.panel_width, plan.panel_height) >= kLabelledPanel * sizes.scale &&
      std::min(plan.cell_width, plan.cell_height) >= kLabelledPanelCell * sizes.scale;
  return plan;
}

CellGrid pool_cells(const CellGrid& cells, std::size_t k) {
  CellGrid out;
  out.rows = ceil_div(cells.rows, k);
  out.cols = ceil_div(cells.cols, k);
  std::vector<Pooled> pooled(out.rows * out.cols);
  for (std::size_t r = 0; r < cells.rows; ++r) {
    for (std::size_t c = 0; c < cells.cols; ++c) {
      const std::size_t i = r * cells.cols + c;
      pooled[(r / k) * out.cols + c / k].add(cells.values[i], cells.state(i));
    }
  }
  for (const Pooled& p : pooled) {
    const bool has_value = p.finite || p.broken;
    out.states.push_back(has_value ? CellState::kValue : p.state);
    out.values.push_back(p.broken ? std::numeric_limits<float>::quiet_NaN()
                                  : (p.finite ? p.value : 0.0F));
  }
  return out;
}

}  // namespace mha::render
