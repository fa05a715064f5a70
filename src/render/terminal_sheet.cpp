// All heads as lines of text, with their table.
#include <algorithm>
#include <optional>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/render/terminal.hpp"
#include "mha/render/terminal_text.hpp"

#include "grid_plan.hpp"
#include "terminal_parts.hpp"
#include "terminal_sheet_plan.hpp"
#include "terminal_table.hpp"

namespace mha::render {
namespace {

constexpr std::size_t kBesideGap = 3;
constexpr std::size_t kTableGap = 4;  // between the parts of a table below
constexpr std::size_t kLeastBeside = 34;

class SheetText {
 public:
  SheetText(const GridFigure& figure, const TerminalTable& table, const TerminalStyle& style)
      : figure_(figure), table_(table), style_(style), heads_(heads_of(figure)) {
    if (heads_.empty()) throw Error(ErrorKind::kInternal, "a contact sheet without heads");
    const std::size_t head_size = head_lines(head(), style);
    const std::size_t notes_size = note_lines(figure.text.notes, style);
    plan_ = find_plan(head_size + notes_size);
    const SheetPlan without = find_plan(head_size);
    if (without.pool < plan_.pool) {  // heads matter more than that their notes are in view
      plan_ = without;
      has_room_for_notes_ = false;
    }
  }

  std::size_t pool() const { return plan_.pool; }
  std::string draw() const;

 private:
  TerminalHead head() const {
    TerminalHead out{figure_.text, figure_.colors, figure_.frame.value_name, {}};
    for (const SheetHead& h : heads_) out.kinds.add(*figure_.panels[h.panel]->cells);
    return out;
  }
  SheetPlan find_plan(std::size_t used) const;
  std::string axes_note() const;
  void draw_panels(TerminalScreen* screen, std::size_t top) const;
  void draw_names(TerminalScreen* screen, std::size_t i, const SheetPlace& place,
                  std::size_t top) const;
  std::size_t draw_table(TerminalScreen* screen, std::size_t top, std::size_t bottom) const;
  std::size_t draw_beside(TerminalScreen* screen, std::size_t top, const TablePlan& plan) const;
  std::size_t draw_below(TerminalScreen* screen, std::size_t top) const;

  const GridFigure& figure_;
  const TerminalTable& table_;
  const TerminalStyle& style_;
  const std::vector<SheetHead> heads_;
  SheetPlan plan_;
  bool has_room_for_notes_ = true;
};

SheetPlan SheetText::find_plan(std::size_t used) const {
  const std::size_t lines = style_.lines > used + 1 ? style_.lines - used : 1;
  const SheetPlan plan = plan_sheet(figure_, heads_, lines, style_);
  if (plan.pool == 1 || lines == 1) return plan;
  return plan_sheet(figure_, heads_, lines - 1, style_);  // a note says so, and takes a line
}

std::string SheetText::axes_note() const {
  const HeatmapFrame& frame = figure_.frame;
  if (frame.rows.title.empty() || frame.cols.title.empty()) return "";
  return "in each panel: " + frame.rows.title + " down, " + frame.cols.title + " across";
}

void SheetText::draw_names(TerminalScreen* screen, std::size_t i, const SheetPlace& place,
                           std::size_t top) const {
  const SheetHead& head = heads_[i];
  const GridPanel& panel = *figure_.panels[head.panel];
  const Rgb strong = style_.theme.foreground;
  const Rgb ink = panel.kind < 0 ? strong : kind_ink(panel.kind, style_);
  const std::size_t units = units_per_line(style_);
  const std::size_t line = top + ceil_div(place.unit, units);
  if (plan_.kind == SheetKind::kFlow) {
    // Close to its own panel, with a gap to the one before.
    const auto write = [&](const std::string& name, std::size_t at, Rgb color) {
      const std::string text = shown(name, style_);
      screen->text(place.column - terminal_width(text), at, text, color);
    };
    write(head.row_name, line, style_.theme.muted);
    write(head.col_name, line + 1, ink);
    return;
  }
  const bool is_first_of_layer = i == 0 || heads_[i - 1].layer != head.layer;
  if (is_first_of_layer) screen->text(0, line, shown(head.row_name, style_), strong);
  if (plan_.kind == SheetKind::kPlain) {
    const bool is_top = place.unit == units;
    if (is_top) {
      const std::size_t room = plan_.panel_width + plan_.gap - 1;
      screen->text(place.column, top, cut_to(head.col_name, room, style_), strong);
    }
    return;
  }
  const std::size_t end =
      screen->text(place.column, line - 1, shown(head.col_name, style_), strong);
  const std::size_t room = place.column + plan_.panel_width;
  if (end + 3 > room) return;
  screen->text(end + 1, line - 1, cut_to(head.label, room - end - 1, style_), ink);
}

void SheetText::draw_panels(TerminalScreen* screen, std::size_t top) const {
  const std::vector<SheetPlace> places = place_panels(plan_, heads_, style_);
  const std::size_t units = units_per_line(style_);
  screen->reach(top + ceil_div(plan_.units, units));
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    const CellGrid& all = *figure_.panels[heads_[i].panel]->cells;
    const CellGrid pooled = plan_.pool > 1 ? pool_cells(all, plan_.pool) : CellGrid{};
    const CellGrid& cells = plan_.pool > 1 ? pooled : all;
    const TerminalPlace place{places[i].column, top * units + places[i].unit, plan_.cell_width,
                              plan_.cell_height};
    paint_terminal_cells(screen, cells, figure_.colors, place, style_);
    draw_names(screen, i, places[i], top);
  }
}

std::size_t SheetText::draw_beside(TerminalScreen* screen, std::size_t top,
                                   const TablePlan& plan) const {
  const std::size_t column = plan_.width + kBesideGap;
  const std::size_t n = table_.rows.size();
  const std::size_t most = style_.lines > top + 2 ? style_.lines - top - 1 : n;
  const std::size_t end = n <= most ? n : most - 1;
  write_table(screen, table_, plan, 0, end, column, top, style_);
  if (end == n) return top + 1 + n;
  screen->text(column, top + 1 + end, concat(n - end, " more: mha-viz score lists all"),
               style_.theme.muted);
  return top + 2 + end;
}

// In as few parts side by side as keep within the window, or in as many as there is room for.
std::size_t SheetText::draw_below(TerminalScreen* screen, std::size_t top) const {
  const std::size_t n = table_.rows.size();
  std::optional<TablePlan> plan = fit_table(table_, style_.columns, style_);
  std::size_t parts = 1;
  const auto fits = [&] { return top + 1 + ceil_div(n, parts) <= style_.lines; };
  while (plan && style_.lines > 0 && !fits() && parts < n) {
    const std::size_t room = (style_.columns + kTableGap) / (parts + 1);
    const auto narrower =
        room > kTableGap ? fit_table(table_, room - kTableGap, style_) : std::nullopt;
    if (!narrower) break;
    plan = narrower;
    ++parts;
  }
  if (!plan) return top;
  const std::size_t per_part = ceil_div(n, parts);
  for (std::size_t p = 0; p * per_part < n; ++p) {
    write_table(screen, table_, *plan, p * per_part, std::min(n, (p + 1) * per_part),
                p * (plan->width + kTableGap), top, style_);
  }
  return top + 1 + per_part;
}

std::size_t SheetText::draw_table(TerminalScreen* screen, std::size_t top,
                                  std::size_t bottom) const {
  if (table_.rows.empty()) return bottom;
  const std::size_t used = plan_.width + kBesideGap;
  if (style_.lines > 0 && used + kLeastBeside <= style_.columns) {
    if (const auto plan = fit_table(table_, style_.columns - used, style_)) {
      return std::max(bottom, draw_beside(screen, top, *plan));
    }
  }
  return draw_below(screen, bottom + 1);
}

std::string SheetText::draw() const {
  TerminalScreen screen(style_.columns);
  std::size_t top = 0;
  std::vector<std::string> below;
  if (has_room_for_notes_) {
    below = figure_.text.notes;
  } else if (!style_.is_strict) {
    // What scrolls out of the window first.
    top = write_notes(&screen, figure_.text.notes, 0, style_);
  }
  const std::size_t above = top;
  top = write_head(&screen, head(), top, style_);
  draw_panels(&screen, top);
  std::size_t line = top + ceil_div(plan_.units, units_per_line(style_));
  if (plan_.pool > 1) below.push_back(pool_note(plan_.pool, figure_.frame.cols.pool > 1));
  const std::string axes = axes_note();
  const std::size_t used = line - above + note_lines(below, style_);
  if (!axes.empty() && (style_.lines == 0 || used < style_.lines)) below.push_back(axes);
  line = write_notes(&screen, below, line, style_);
  screen.reach(draw_table(&screen, top, line));
  return screen.render(style_);
}

}  // namespace

std::size_t terminal_pool(const GridFigure& figure, const TerminalStyle& style) {
  return SheetText(figure, {}, style).pool();
}

std::string draw_terminal(const GridFigure& figure, const TerminalTable& table,
                          const TerminalStyle& style) {
  return SheetText(figure, table, style).draw();
}

}  // namespace mha::render
