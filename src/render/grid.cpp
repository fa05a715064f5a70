#include "mha/render/grid.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "axis_labels.hpp"
#include "cell_painter.hpp"
#include "color_bar.hpp"
#include "grid_plan.hpp"
#include "legend.hpp"
#include "page.hpp"

namespace mha::render {
namespace {

constexpr double kNumberedCell = 34;  // smaller cells of an overview stay free of numbers

// Everything set and measured, before anything is drawn.
class GridPicture {
 public:
  GridPicture(const GridFigure& figure, const PictureStyle& style, Typesetter& type);

  Drawing draw() const;
  GridLayout layout() const;

 private:
  struct Name {
    std::size_t index = 0;
    TextBitmap text;
    int center = 0;  // of its row or column, relative to the first panel's corner
  };

  void set_names();
  void set_token_labels();
  bool has_label(std::size_t panel) const;
  void find_label_line();
  void set_panel_labels();
  void measure();
  Page make_page() const;
  PictureText page_text() const;
  int label_indent(std::size_t panel) const;
  Rect panel_box(std::size_t i) const;
  Rect name_box(const Name& name, bool row) const;
  void draw_panels(Canvas* canvas) const;
  void draw_labels(Canvas* canvas) const;
  void draw_titles(Canvas* canvas) const;

  const GridFigure& figure_;
  const PictureStyle& style_;
  Typesetter& type_;
  Sizes sizes_;
  GridPlan plan_;
  std::vector<Name> row_names_;
  std::vector<Name> col_names_;
  std::vector<TextBitmap> panel_labels_;  // one per panel, empty ones too; or none at all
  bool labels_beside_names_ = false;      // one row of panels: "H0 previous word" in one line
  int label_line_ = 0;                    // height of a line of panel labels of their own
  AxisLabels rows_;
  AxisLabels cols_;
  TextBitmap row_title_;
  TextBitmap col_title_;
  ColorBar bar_;
  int name_line_ = 0;
  int names_width_ = 0;
  int left_ = 0;  // of the first panel
  int top_ = 0;   // of the first panel
  int bar_x_ = 0;
  int bar_y_ = 0;
  int right_ = 0;
  int bottom_ = 0;
  std::optional<Page> page_;
};

GridPicture::GridPicture(const GridFigure& figure, const PictureStyle& style, Typesetter& type)
    : figure_(figure), style_(style), type_(type), sizes_(style) {
  const std::size_t places = figure.row_names.size() * figure.col_names.size();
  if (places == 0 || figure.panels.size() != places) {
    throw Error(ErrorKind::kInternal,
                concat("overview panels: expected ", places, ", got ", figure.panels.size()));
  }
  plan_ = plan_grid(figure, style);
  name_line_ = sizes_.px(20);
  set_token_labels();
  find_label_line();
  set_names();
  set_panel_labels();
  const int height = plan_.height();
  const bool upright = height >= sizes_.flat();
  const int length = upright ? std::min(height, sizes_.longest_bar())
                             : std::clamp(plan_.width(), sizes_.px(160), sizes_.px(320));
  bar_ = make_color_bar(figure.frame.value_name, figure.colors, style, length, upright, type);
  measure();
  page_.emplace(make_page());
  top_ += page_->body_top();
  bar_y_ += page_->body_top();
  bottom_ += page_->body_top();
}

void GridPicture::set_token_labels() {
  if (!plan_.has_token_labels) return;
  LabelOptions options = usual_labels(style_, sizes_);
  options.px = 14 * sizes_.scale;
  options.longest = 130 * sizes_.scale;
  options.gap = sizes_.px(6);
  rows_ = row_labels(figure_.frame.rows, {plan_.rows, plan_.cell_height}, options, type_);
  cols_ = col_labels(figure_.frame.cols, {plan_.cols, plan_.cell_width}, options, type_);
  const int room = plan_.height();
  row_title_ = type_.set(figure_.frame.rows.title, sizes_.axis_title(90));
  if (row_title_.height > room) row_title_ = {};
  col_title_ = type_.set(figure_.frame.cols.title, sizes_.axis_title(0));
}

// Not the name of a kind that would have to be cut: the legend has it.
bool GridPicture::has_label(std::size_t panel) const {
  const auto& shown = figure_.panels[panel];
  if (!shown || shown->label.empty()) return false;
  return shown->kind < 0 || type_.width(shown->label, sizes_.note()) <= plan_.panel_width;
}

void GridPicture::find_label_line() {
  bool any = false;
  for (std::size_t i = 0; i < figure_.panels.size() && !any; ++i) any = has_label(i);
  if (!any || plan_.panel_width < sizes_.px(56)) return;
  labels_beside_names_ = plan_.panels_down == 1 && plan_.panel_width >= sizes_.px(130);
  if (!labels_beside_names_) label_line_ = sizes_.px(19);
  plan_.row_gap += label_line_;
}

void GridPicture::set_panel_labels() {
  if (label_line_ == 0 && !labels_beside_names_) return;
  for (std::size_t i = 0; i < figure_.panels.size(); ++i) {
    TextStyle text = sizes_.note();
    if (labels_beside_names_) text.px = sizes_.tick().px;
    text.max_width = plan_.panel_width - label_indent(i);
    panel_labels_.push_back(has_label(i) ? type_.set(figure_.panels[i]->label, text)
                                         : TextBitmap{});
  }
}

// Of a panel's label: it follows the name of its column, or starts at the panel's edge.
int GridPicture::label_indent(std::size_t panel) const {
  if (!labels_beside_names_ || panel >= col_names_.size()) return 0;
  return static_cast<int>(std::ceil(col_names_[panel].text.advance)) + sizes_.px(9);
}

void GridPicture::set_names() {
  const TextStyle text{.px = sizes_.label().px, .bold = true};
  double widest = 0;
  for (const std::string& name : figure_.col_names) {
    widest = std::max(widest, type_.width(name, text));
  }
  const int col_pitch = plan_.panel_width + plan_.col_gap;
  for (std::size_t i : thin_labels(figure_.col_names.size(), col_pitch, widest + sizes_.px(6))) {
    const int center = static_cast<int>(i) * col_pitch + plan_.panel_width / 2;
    col_names_.push_back({i, type_.set(figure_.col_names[i], text), center});
  }
  const int row_pitch = plan_.panel_height + plan_.row_gap;
  for (std::size_t i : thin_labels(figure_.row_names.size(), row_pitch, name_line_)) {
    const int center = static_cast<int>(i) * row_pitch + plan_.panel_height / 2;
    row_names_.push_back({i, type_.set(figure_.row_names[i], text), center});
    const int width = static_cast<int>(std::ceil(row_names_.back().text.advance));
    names_width_ = std::max(names_width_, width);
  }
}

// Places everything below an imagined body top of 0.
void GridPicture::measure() {
  const int title = row_title_.empty() ? 0 : sizes_.px(20) + sizes_.gap();
  const int beside = names_width_ + (names_width_ > 0 ? sizes_.px(10) : 0) + title + rows_.depth;
  left_ = sizes_.margin() + std::max(beside, cols_.overhang_before);
  top_ = name_line_ + sizes_.px(4) + label_line_;
  const int panels_right = left_ + plan_.width();
  int y = top_ + plan_.height() + std::max(cols_.depth, sizes_.px(2));
  if (!col_title_.empty()) y += sizes_.gap() + sizes_.px(20);
  if (bar_.upright) {
    bar_x_ = panels_right + sizes_.px(22);
    bar_y_ = top_ - bar_.lead;
    bottom_ = std::max(y, bar_y_ + bar_.height);
  } else {
    bar_x_ = left_ - bar_.lead;
    bar_y_ = y + sizes_.px(12);
    bottom_ = bar_y_ + bar_.height;
  }
  right_ = std::max(
      {bar_x_ + bar_.width, panels_right + sizes_.px(3), panels_right + cols_.overhang_after});
}

PictureText GridPicture::page_text() const {
  PictureText text = figure_.text;
  const HeatmapFrame& frame = figure_.frame;
  if (col_title_.empty() && !frame.rows.title.empty() && !frame.cols.title.empty()) {
    text.notes.push_back(
        concat("In each panel: ", frame.rows.title, " down, ", frame.cols.title, " across."));
  }
  if (plan_.pool > 1) {
    const bool is_pooled = frame.cols.pool > 1;  // and a note of the caller says so
    text.notes.push_back(concat(
        is_pooled ? "This overview shows the maximum of " : "Each cell shows the maximum of ",
        plan_.pool, " × ", plan_.pool, is_pooled ? " such cells." : " tokens."));
  }
  return text;
}

Page GridPicture::make_page() const {
  CellKinds kinds;
  bool hollow_used = false;
  for (const auto& panel : figure_.panels) {
    if (!panel) continue;
    kinds.add(*panel->cells);
    hollow_used = hollow_used || panel->kind >= 0;
  }
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; hollow_used && i < figure_.kinds.size(); ++i) {
    entries.push_back({.color = kind_color(i), .hollow = true, .text = figure_.kinds[i]});
  }
  for (LegendEntry& entry : entries_for(kinds, style_.theme)) entries.push_back(std::move(entry));
  return Page(page_text(), entries, right_ - sizes_.margin(), left_ - sizes_.margin(), style_,
              type_);
}

Rect GridPicture::panel_box(std::size_t i) const {
  const std::size_t n_cols = figure_.col_names.size();
  const auto row = static_cast<int>(i / n_cols);
  const auto col = static_cast<int>(i % n_cols);
  return {left_ + col * (plan_.panel_width + plan_.col_gap),
          top_ + row * (plan_.panel_height + plan_.row_gap), plan_.panel_width, plan_.panel_height};
}

Rect GridPicture::name_box(const Name& name, bool row) const {
  const TextBitmap& text = name.text;
  const int length = static_cast<int>(std::ceil(text.advance));
  int x = left_ + name.center - length / 2;
  if (labels_beside_names_) x = left_ + name.center - plan_.panel_width / 2;
  int y = top_ - sizes_.px(8) - label_line_;
  if (row) {
    x = sizes_.margin() + names_width_ - length;
    y = top_ + name.center + static_cast<int>(0.36 * sizes_.label().px);
  }
  return {x - text.pen_x, y - text.pen_y, text.width, text.height};
}

void GridPicture::draw_panels(Canvas* canvas) const {
  const int separator = separator_for(std::min(plan_.cell_width, plan_.cell_height), sizes_);
  std::shared_ptr<const NumberGlyphs> numbers;
  if (std::min(plan_.cell_width, plan_.cell_height) >= sizes_.px(kNumberedCell)) {
    numbers = number_glyphs(plan_.cell_width, plan_.cell_height, sizes_, type_);
  }
  for (std::size_t i = 0; i < figure_.panels.size(); ++i) {
    if (!figure_.panels[i]) continue;
    const GridPanel& panel = *figure_.panels[i];
    const Rect box = panel_box(i);
    const CellPlace place{box.x, box.y, plan_.cell_width, plan_.cell_height, separator};
    const CellGrid pooled = plan_.pool > 1 ? pool_cells(*panel.cells, plan_.pool) : CellGrid{};
    const CellGrid& cells = plan_.pool > 1 ? pooled : *panel.cells;
    paint_cells(canvas, cells, figure_.colors, {place, numbers}, style_);
    const Rect area = place.area(cells.rows, cells.cols);
    if (panel.kind >= 0) {
      canvas->frame(area, std::max(2, sizes_.px(2.5)),
                    kind_color(static_cast<std::size_t>(panel.kind)));
    } else {
      canvas->frame(area, std::max(sizes_.stroke(), separator), style_.theme.line);
    }
    if (panel_labels_.empty()) continue;
    const int above = sizes_.px(8);
    canvas->text(panel_labels_[i], box.x + label_indent(i), box.y - above, style_.theme.muted);
  }
}

void GridPicture::draw_labels(Canvas* canvas) const {
  const auto draw_name = [&](const Name& name, bool row) {
    const Rect box = name_box(name, row);
    canvas->text(name.text, box.x + name.text.pen_x, box.y + name.text.pen_y,
                 style_.theme.foreground);
  };
  for (const Name& name : row_names_) draw_name(name, true);
  for (const Name& name : col_names_) draw_name(name, false);
  const std::size_t n_cols = figure_.col_names.size();
  const std::size_t n_rows = figure_.row_names.size();
  for (std::size_t r = 0; r < n_rows; ++r) {
    const Rect first = panel_box(r * n_cols);
    draw_row_labels(canvas, rows_, first.x, first.y, style_.theme);
  }
  for (std::size_t c = 0; c < n_cols; ++c) {
    const Rect last = panel_box((n_rows - 1) * n_cols + c);
    draw_col_labels(canvas, cols_, last.x, last.bottom(), style_.theme);
  }
}

void GridPicture::draw_titles(Canvas* canvas) const {
  if (!row_title_.empty()) {
    const int x = left_ - rows_.depth - sizes_.gap() - sizes_.px(5);
    canvas->text(row_title_, x, top_ + (plan_.height() + row_title_.height) / 2,
                 style_.theme.muted);
  }
  if (!col_title_.empty()) {
    const int length = static_cast<int>(col_title_.advance);
    const int y = top_ + plan_.height() + cols_.depth + sizes_.gap() + sizes_.px(15);
    canvas->text(col_title_, left_ + (plan_.width() - length) / 2, y, style_.theme.muted);
  }
}

Drawing GridPicture::draw() const {
  Canvas canvas(page_->width(right_), page_->height(bottom_), style_);
  draw_panels(&canvas);
  draw_labels(&canvas);
  draw_titles(&canvas);
  draw_color_bar(&canvas, bar_, bar_x_, bar_y_, style_.theme);
  page_->draw(&canvas, bottom_, style_.theme);
  return canvas.take();
}

GridLayout GridPicture::layout() const {
  GridLayout out;
  out.width = page_->width(right_);
  out.height = page_->height(bottom_);
  const PageBoxes around = page_->boxes(bottom_);
  out.title = around.title;
  out.caption = around.caption;
  out.legend = around.legend;
  out.notes = around.notes;
  for (std::size_t i = 0; i < figure_.panels.size(); ++i) out.panels.push_back(panel_box(i));
  for (const Name& name : row_names_) out.row_names.push_back({name.index, name_box(name, true)});
  for (const Name& name : col_names_) out.col_names.push_back({name.index, name_box(name, false)});
  const std::size_t n_cols = figure_.col_names.size();
  for (std::size_t r = 0; r < figure_.row_names.size(); ++r) {
    const Rect first = panel_box(r * n_cols);
    for (auto& label : placed(rows_, first.x, first.y)) out.row_labels.push_back(label);
  }
  for (std::size_t c = 0; c < n_cols; ++c) {
    const Rect last = panel_box(figure_.panels.size() - n_cols + c);
    for (auto& label : placed(cols_, last.x, last.bottom())) out.col_labels.push_back(label);
  }
  out.color_bar = color_bar_boxes(bar_, bar_x_, bar_y_).colors;
  return out;
}

}  // namespace

Drawing draw_grid(const GridFigure& figure, const PictureStyle& style, Typesetter& typesetter) {
  const PictureStyle fitted = fit_width(style, [&](const PictureStyle& tried) {
    return GridPicture(figure, tried, typesetter).layout().width;
  });
  return GridPicture(figure, fitted, typesetter).draw();
}

GridLayout layout_grid(const GridFigure& figure, const PictureStyle& style,
                       Typesetter& typesetter) {
  return GridPicture(figure, style, typesetter).layout();
}

}  // namespace mha::render
