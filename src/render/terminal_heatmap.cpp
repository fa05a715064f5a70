// One head as lines of text.
#include <algorithm>

#include "mha/base/checked.hpp"
#include "mha/base/text.hpp"
#include "mha/render/terminal.hpp"
#include "mha/render/terminal_text.hpp"

#include "grid_plan.hpp"
#include "terminal_parts.hpp"

namespace mha::render {
namespace {

constexpr std::size_t kLongestRowLabel = 16;
constexpr std::size_t kLongestAcross = 10;  // of labels side by side
constexpr std::size_t kLongestDown = 9;     // of labels that are written downwards
constexpr std::size_t kLeastAcross = 4;
constexpr std::size_t kTallestCell = 6;  // lines

enum class ColumnLabels { kAcross, kDown, kSome };

struct HeatmapPlan {
  std::size_t pool = 1;
  ColumnLabels labels = ColumnLabels::kSome;
  std::size_t cell_width = 1;
  std::size_t cell_height = 1;  // units
  std::size_t gutter = 0;       // columns of the row labels and the gap behind them
  std::size_t label_lines = 1;
};

// Sizes of one way to label the columns; not usable where no cell fits.
struct Offer {
  ColumnLabels labels;
  std::size_t lines = 0;
  std::size_t width = 0;
  std::size_t height = 0;

  bool is_usable() const { return width > 0 && height > 0; }
};

std::string label_of(const Axis& axis, std::size_t cell) {
  const std::size_t token = cell * std::max<std::size_t>(axis.pool, 1);
  if (token < axis.labels.size()) return axis.labels[token];
  return std::to_string(axis.first + token);
}

class HeatmapPicture {
 public:
  HeatmapPicture(const HeatmapFigure& figure, const TerminalStyle& style)
      : figure_(figure), style_(style), units_(units_per_line(style)) {
    for (std::size_t r = 0; r < figure.cells.rows; ++r) {
      longest_row_ = std::max(longest_row_, width_of(label_of(figure.frame.rows, r)));
    }
    for (std::size_t c = 0; c < figure.cells.cols; ++c) {
      const std::string label = shown(label_of(figure.frame.cols, c), style);
      std::size_t graphemes_of_label = 0;
      for (const Grapheme& g : graphemes(label)) {
        ++graphemes_of_label;
        widest_grapheme_ = std::max(widest_grapheme_, g.width);
      }
      longest_col_ = std::max(longest_col_, width_of(label));
      tallest_col_ = std::max(tallest_col_, graphemes_of_label);
    }
    plan_ = find_plan(true);
    const HeatmapPlan without = find_plan(false);
    if (without.pool < plan_.pool) {  // cells matter more than that their notes are in view
      plan_ = without;
      has_room_for_notes_ = false;
    }
  }

  std::size_t pool() const { return plan_.pool; }
  std::string draw() const;

 private:
  std::size_t width_of(const std::string& label) const {
    return terminal_width(shown(label, style_));
  }
  TerminalHead head() const {
    TerminalHead out{figure_.text, figure_.colors, figure_.frame.value_name, {}};
    out.kinds.add(figure_.cells);
    return out;
  }
  std::vector<std::string> notes_below(std::size_t pool, bool has_notes) const {
    std::vector<std::string> out;
    if (has_notes) out = figure_.text.notes;
    if (pool > 1) out.push_back(pool_note(pool, figure_.frame.cols.pool > 1));
    return out;
  }
  HeatmapPlan find_plan(bool counts_notes) const;
  Offer offer(ColumnLabels labels, std::size_t rows, std::size_t cols, std::size_t lines) const;
  std::size_t room() const { return style_.columns > gutter() ? style_.columns - gutter() : 0; }
  std::size_t gutter() const {
    return std::min(
               {longest_row_, kLongestRowLabel, std::max<std::size_t>(style_.columns / 4, 4)}) +
           1;
  }
  void draw_rows(TerminalScreen* screen, const CellGrid& cells, std::size_t line) const;
  void draw_columns(TerminalScreen* screen, const CellGrid& cells, std::size_t line) const;
  void draw_down(TerminalScreen* screen, std::size_t cell, std::size_t line) const;
  std::string axes_text() const;
  // The label of a cell of the picture, which covers `pool` of the figure's.
  std::string label(const Axis& axis, std::size_t cell) const {
    return label_of(axis, cell * plan_.pool);
  }

  const HeatmapFigure& figure_;
  const TerminalStyle& style_;
  const std::size_t units_;
  std::size_t longest_row_ = 0;
  std::size_t longest_col_ = 0;
  std::size_t tallest_col_ = 0;  // in clusters
  std::size_t widest_grapheme_ = 1;
  HeatmapPlan plan_;
  bool has_room_for_notes_ = true;
};

// The largest cells with labels of this kind, when `lines` are left for cells and labels.
Offer HeatmapPicture::offer(ColumnLabels labels, std::size_t rows, std::size_t cols,
                            std::size_t lines) const {
  Offer out{labels, 1, 0, 0};
  if (labels == ColumnLabels::kDown) out.lines = std::min(tallest_col_, kLongestDown);
  if (lines <= out.lines) return out;
  const std::size_t most_wide = room() / cols;
  const std::size_t tallest = (style_.lines == 0 ? 1 : kTallestCell) * units_;
  const std::size_t most_high = std::min((lines - out.lines) * units_ / rows, tallest);
  // A unit is as high as a column is wide where a line has two, else twice as high.
  const std::size_t square = units_ == 2 ? 1 : 2;
  out.height = std::min(most_high, std::max<std::size_t>(most_wide / square, 1));
  out.width = std::min(most_wide, out.height * square);
  if (labels == ColumnLabels::kDown && out.width < widest_grapheme_) out.width = 0;
  if (labels == ColumnLabels::kAcross) {
    const std::size_t wanted = std::min(longest_col_, kLongestAcross) + 1;
    const std::size_t widest = std::max<std::size_t>(3 * square * out.height, kLeastAcross * 2);
    out.width = std::max(out.width, std::min({wanted, most_wide, widest}));
    if (out.width < std::min(wanted, kLeastAcross + 1)) out.width = 0;
    // Whole lines, so that labels and numbers stand evenly.
    if (out.height > units_) out.height -= out.height % units_;
  }
  return out;
}

HeatmapPlan HeatmapPicture::find_plan(bool counts_notes) const {
  const std::size_t longest = std::max(figure_.cells.rows, figure_.cells.cols);
  HeatmapPlan plan;
  plan.gutter = gutter();
  const std::size_t head_size = head_lines(head(), style_);
  const std::size_t lines = style_.lines == 0 ? kNoLimit : style_.lines;
  for (plan.pool = 1;; ++plan.pool) {
    const std::size_t rows = ceil_div(figure_.cells.rows, plan.pool);
    const std::size_t cols = ceil_div(figure_.cells.cols, plan.pool);
    const std::size_t used =
        head_size + 1 + note_lines(notes_below(plan.pool, counts_notes), style_);
    const std::size_t left = lines > used + 2 ? lines - used : 3;
    const Offer across = offer(ColumnLabels::kAcross, rows, cols, left);
    const Offer down = offer(ColumnLabels::kDown, rows, cols, left);
    const Offer some = offer(ColumnLabels::kSome, rows, cols, left);
    const bool is_down_small = down.height * 2 < some.height;
    const Offer best = across.is_usable()                   ? across
                       : down.is_usable() && !is_down_small ? down
                                                            : some;
    if (!best.is_usable() && plan.pool < longest) continue;
    plan.labels = best.labels;
    plan.label_lines = std::max<std::size_t>(best.lines, 1);
    plan.cell_width = std::max<std::size_t>(best.width, 1);
    plan.cell_height = std::max<std::size_t>(best.height, 1);
    return plan;
  }
}

void HeatmapPicture::draw_rows(TerminalScreen* screen, const CellGrid& cells,
                               std::size_t line) const {
  const std::size_t width = plan_.gutter - 1;
  std::size_t next_free = line;
  for (std::size_t r = 0; r < cells.rows; ++r) {
    const std::size_t at = line + (r * plan_.cell_height + (plan_.cell_height - 1) / 2) / units_;
    if (at < next_free) continue;  // two rows share a line: the first one names it
    next_free = at + 1;
    const std::string text = cut_to(label(figure_.frame.rows, r), width, style_);
    screen->text(0, at, padded_to(text, width, true), style_.theme.foreground);
  }
}

void HeatmapPicture::draw_down(TerminalScreen* screen, std::size_t cell, std::size_t line) const {
  const std::size_t column = plan_.gutter + cell * plan_.cell_width + (plan_.cell_width - 1) / 2;
  const std::vector<Grapheme> clusters = graphemes(shown(label(figure_.frame.cols, cell), style_));
  for (std::size_t i = 0; i < std::min(clusters.size(), plan_.label_lines); ++i) {
    const bool is_cut = clusters.size() > plan_.label_lines && i + 1 == plan_.label_lines;
    const std::string text = is_cut ? (style_.unicode ? "\u22EE" : ":") : clusters[i].text;
    screen->text(column, line + i, text, style_.theme.foreground);
  }
}

void HeatmapPicture::draw_columns(TerminalScreen* screen, const CellGrid& cells,
                                  std::size_t line) const {
  if (plan_.labels == ColumnLabels::kDown) {
    for (std::size_t c = 0; c < cells.cols; ++c) draw_down(screen, c, line);
    return;
  }
  std::size_t next_free = 0;
  for (std::size_t c = 0; c < cells.cols; ++c) {
    const std::size_t column = plan_.gutter + c * plan_.cell_width;
    std::string text = label(figure_.frame.cols, c);
    std::size_t at = column;
    if (plan_.labels == ColumnLabels::kAcross) {
      text = cut_to(text, plan_.cell_width - 1, style_);
      at += (plan_.cell_width - terminal_width(text)) / 2;
    } else {
      // Numbers of tokens, where there is room.
      const Axis& axis = figure_.frame.cols;
      text = std::to_string(axis.first + c * plan_.pool * std::max<std::size_t>(axis.pool, 1));
      if (column < next_free || column + text.size() > style_.columns) continue;
      next_free = column + text.size() + 2;
    }
    screen->text(at, line, text, style_.theme.foreground);
  }
}

std::string HeatmapPicture::axes_text() const {
  const std::string& rows = figure_.frame.rows.title;
  const std::string& cols = figure_.frame.cols.title;
  if (rows.empty() || cols.empty()) return rows + cols;
  return rows + " down, " + cols + " across";
}

std::string HeatmapPicture::draw() const {
  TerminalScreen screen(style_.columns);
  std::size_t line = 0;
  if (!has_room_for_notes_ && !style_.is_strict) {
    line = write_notes(&screen, figure_.text.notes, line, style_);  // scrolls away first
  }
  line = write_head(&screen, head(), line, style_);
  const CellGrid pooled = plan_.pool > 1 ? pool_cells(figure_.cells, plan_.pool) : CellGrid{};
  const CellGrid& cells = plan_.pool > 1 ? pooled : figure_.cells;
  const TerminalPlace place{plan_.gutter, line * units_, plan_.cell_width, plan_.cell_height};
  paint_terminal_cells(&screen, cells, figure_.colors, place, style_);
  paint_terminal_numbers(&screen, cells, figure_.colors, place, style_);
  draw_rows(&screen, cells, line);
  line += ceil_div(cells.rows * plan_.cell_height, units_);
  screen.reach(line + plan_.label_lines);
  draw_columns(&screen, cells, line);
  line += plan_.label_lines;
  screen.reach(line + 1);
  screen.text(plan_.gutter, line, cut_to(axes_text(), room(), style_), style_.theme.muted);
  write_notes(&screen, notes_below(plan_.pool, has_room_for_notes_), line + 1, style_);
  return screen.render(style_);
}

}  // namespace

std::size_t terminal_pool(const HeatmapFigure& figure, const TerminalStyle& style) {
  return HeatmapPicture(figure, style).pool();
}

std::string draw_terminal(const HeatmapFigure& figure, const TerminalStyle& style) {
  return HeatmapPicture(figure, style).draw();
}

}  // namespace mha::render
