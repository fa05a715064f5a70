#include "terminal_sheet_plan.hpp"

#include <algorithm>
#include <optional>

#include "mha/base/checked.hpp"
#include "mha/render/terminal_text.hpp"

#include "terminal_parts.hpp"

namespace mha::render {
namespace {

constexpr std::size_t kTallestPanelCell = 4;  // lines
constexpr std::size_t kFewestCells = 5;       // cells; smaller ones show nothing
constexpr std::size_t kRoomyPanel = 8;
constexpr std::size_t kMostWraps = 4;  // rows that one layer may take

// What all plans of one figure have in common.
struct SheetSizes {
  std::size_t rows = 1;  // cells of the largest panel
  std::size_t cols = 1;
  std::size_t n_heads = 0;
  std::vector<std::size_t> per_layer;  // heads of each layer
  std::size_t most = 1;                // of them
  std::size_t row_name = 0;            // widths
  std::size_t col_name = 0;
  std::size_t units = 1;  // per line
};

SheetSizes sheet_sizes(const GridFigure& figure, const std::vector<SheetHead>& heads,
                       const TerminalStyle& style) {
  SheetSizes out;
  out.units = units_per_line(style);
  out.n_heads = heads.size();
  out.per_layer.assign(figure.row_names.size(), 0);
  for (const SheetHead& head : heads) {
    const CellGrid& cells = *figure.panels[head.panel]->cells;
    out.rows = std::max(out.rows, cells.rows);
    out.cols = std::max(out.cols, cells.cols);
    out.most = std::max(out.most, ++out.per_layer[head.layer]);
    out.row_name = std::max(out.row_name, terminal_width(shown(head.row_name, style)));
    out.col_name = std::max(out.col_name, terminal_width(shown(head.col_name, style)));
  }
  return out;
}

std::size_t even(std::size_t units, std::size_t per_line) {
  return ceil_div(units, per_line) * per_line;
}

// A plan of one kind with cells of one size; `wraps` is how many rows a layer takes.
SheetPlan make_plan(const SheetSizes& sheet, SheetKind kind, std::size_t pool, std::size_t height,
                    std::size_t width, std::size_t wraps, const TerminalStyle& style) {
  SheetPlan plan;
  plan.kind = kind;
  plan.pool = pool;
  plan.cell_height = height;
  plan.cell_width = width;
  plan.panel_width = ceil_div(sheet.cols, pool) * width;
  plan.panel_height = ceil_div(sheet.rows, pool) * height;
  const std::size_t line = sheet.units;
  if (kind == SheetKind::kFlow) {
    plan.gutter = std::max(sheet.row_name, sheet.col_name) + 1;
    plan.pitch = plan.panel_height + 1;
    const std::size_t pitch = plan.gutter + plan.panel_width;
    plan.per_row = std::clamp<std::size_t>(style.columns / pitch, 1, sheet.n_heads);
    // As many in the last row as in the others, where that costs no row.
    const std::size_t rows = ceil_div(sheet.n_heads, plan.per_row);
    plan.per_row = ceil_div(sheet.n_heads, rows);
    plan.width = plan.per_row * pitch;
    plan.units = rows * plan.pitch - 1;
    return plan;
  }
  plan.gutter = sheet.row_name + 1;
  plan.gap = plan.panel_width >= 16 ? 2 : 1;
  plan.per_row = ceil_div(sheet.most, wraps);
  plan.width = plan.gutter + plan.per_row * (plan.panel_width + plan.gap) - plan.gap;
  if (kind == SheetKind::kLabelled) {
    plan.pitch = line + even(plan.panel_height, line);
    if (plan.panel_height >= 12 * line) plan.pitch += line;
  } else {
    plan.pitch = plan.panel_height + 1;
  }
  std::size_t n_rows = 0;
  for (const std::size_t n : sheet.per_layer) n_rows += ceil_div(n, plan.per_row);
  plan.units = n_rows * plan.pitch + (kind == SheetKind::kPlain ? line : 0);
  return plan;
}

struct Limits {
  std::size_t columns;
  std::size_t units;
  std::size_t tallest;  // cell, units

  bool hold(const SheetPlan& plan) const { return plan.width <= columns && plan.units <= units; }
};

bool has_room_for_names(const SheetPlan& plan, const SheetSizes& sheet) {
  if (plan.kind == SheetKind::kLabelled) {
    return plan.panel_width >= kRoomyPanel && plan.panel_width > sheet.col_name;
  }
  return plan.kind == SheetKind::kFlow || plan.panel_width + plan.gap > sheet.col_name;
}

// The largest cells that fit, for one kind.
std::optional<SheetPlan> largest_cells(const SheetSizes& sheet, SheetKind kind, std::size_t pool,
                                       std::size_t wraps, const Limits& limits,
                                       const TerminalStyle& style) {
  // A unit is as high as a column is wide where a line has two, else twice as high.
  const std::size_t square = sheet.units == 2 ? 1 : 2;
  for (std::size_t height = limits.tallest; height > 0; --height) {
    for (std::size_t width = height * square; width >= height && width > 0; --width) {
      const bool is_narrow = width < height * square;
      if (is_narrow && height > 1) break;  // only the smallest cells may be narrower than high
      const SheetPlan plan = make_plan(sheet, kind, pool, height, width, wraps, style);
      if (limits.hold(plan) && has_room_for_names(plan, sheet)) return plan;
    }
  }
  return std::nullopt;
}

std::optional<SheetPlan> best_of_pool(const SheetSizes& sheet, std::size_t pool,
                                      const Limits& limits, const TerminalStyle& style) {
  const auto find = [&](SheetKind kind, std::size_t wraps) {
    return largest_cells(sheet, kind, pool, wraps, limits, style);
  };
  if (const auto plan = find(SheetKind::kLabelled, 1)) return plan;
  if (const auto plan = find(SheetKind::kPlain, 1)) return plan;
  for (std::size_t wraps = 2; wraps <= std::min(kMostWraps, sheet.most); ++wraps) {
    if (const auto plan = find(SheetKind::kLabelled, wraps)) return plan;
  }
  return find(SheetKind::kFlow, 1);
}

// More heads than the window can show at any useful size: as wide as it is, and as long as it
// takes.
SheetPlan long_plan(const SheetSizes& sheet, Limits limits, const TerminalStyle& style) {
  limits.units = kNoLimit;
  limits.tallest = 1;
  const std::size_t longest = std::max(sheet.rows, sheet.cols);
  for (std::size_t side = kRoomyPanel; side >= kFewestCells; --side) {
    const std::size_t pool = ceil_div(longest, side);
    for (const SheetKind kind : {SheetKind::kLabelled, SheetKind::kPlain}) {
      if (const auto plan = largest_cells(sheet, kind, pool, 1, limits, style)) return *plan;
    }
  }
  const std::size_t pool = ceil_div(longest, kRoomyPanel);
  return make_plan(sheet, SheetKind::kFlow, pool, 1, 1, 1, style);
}

}  // namespace

std::vector<SheetHead> heads_of(const GridFigure& figure) {
  std::vector<SheetHead> out;
  const std::size_t n_cols = figure.col_names.size();
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    if (!figure.panels[i]) continue;
    const GridPanel& panel = *figure.panels[i];
    SheetHead head{i, i / n_cols, figure.row_names[i / n_cols], figure.col_names[i % n_cols],
                   panel.label};
    if (head.col_name.empty()) {  // then the label is the name
      head.col_name = head.label;
      head.label = panel.kind < 0 ? "" : figure.kinds[static_cast<std::size_t>(panel.kind)];
      const bool has_row = head.col_name.starts_with(head.row_name);
      if (has_row) head.col_name.erase(0, head.row_name.size());
    }
    out.push_back(std::move(head));
  }
  return out;
}

SheetPlan plan_sheet(const GridFigure& figure, const std::vector<SheetHead>& heads,
                     std::size_t lines, const TerminalStyle& style) {
  const SheetSizes sheet = sheet_sizes(figure, heads, style);
  const bool is_free = style.lines == 0;  // cells stay small: the text has no end but a width
  const Limits limits{style.columns, is_free ? kNoLimit : lines * sheet.units,
                      is_free ? 1 : kTallestPanelCell * sheet.units};
  const std::size_t longest = std::max(sheet.rows, sheet.cols);
  const std::size_t smallest = std::min(longest, kFewestCells);
  const std::size_t first = is_free ? ceil_div(longest, 4 * kRoomyPanel) : 1;
  for (std::size_t pool = first; ceil_div(longest, pool) >= smallest; ++pool) {
    if (const auto plan = best_of_pool(sheet, pool, limits, style)) return *plan;
    if (pool == longest) break;
  }
  return long_plan(sheet, limits, style);
}

std::vector<SheetPlace> place_panels(const SheetPlan& plan, const std::vector<SheetHead>& heads,
                                     const TerminalStyle& style) {
  std::vector<SheetPlace> out;
  const std::size_t line = units_per_line(style);
  std::size_t row = 0;
  std::size_t in_row = 0;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const bool is_new_layer =
        plan.kind != SheetKind::kFlow && i > 0 && heads[i].layer != heads[i - 1].layer;
    if (in_row == plan.per_row || is_new_layer) {
      ++row;
      in_row = 0;
    }
    const std::size_t top = row * plan.pitch + (plan.kind == SheetKind::kFlow ? 0 : line);
    if (plan.kind == SheetKind::kFlow) {
      out.push_back({plan.gutter + in_row * (plan.gutter + plan.panel_width), top});
    } else {
      out.push_back({plan.gutter + in_row * (plan.panel_width + plan.gap), top});
    }
    ++in_row;
  }
  return out;
}

}  // namespace mha::render
