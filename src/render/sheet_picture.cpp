#include "sheet_picture.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"

#include "text_block.hpp"

namespace mha::render {
namespace {

constexpr double kLargestPanelCell = 34;
constexpr double kLargestSquare = 44;
constexpr double kLongestLabel = 110;
constexpr double kLongestPanelBar = 180;
constexpr double kShortestPanelBar = 56;  // lower pictures have a bar that is higher than they are
constexpr double kBarGap = 14;
constexpr double kFrame = 2.5;
constexpr double kCellsShare = 0.7;  // of the width, at most, beside labels and bar

// The value that is largest in size of each block; a block has the state of its first cell unless
// some cell of it has a value.
CellGrid pooled(const CellGrid& from, std::size_t row_pool, std::size_t col_pool) {
  CellGrid out{ceil_div(from.rows, row_pool), ceil_div(from.cols, col_pool), {}, {}};
  const std::size_t n = out.rows * out.cols;
  out.values.assign(n, 0.0F);
  out.states.assign(n, CellState::kMissing);
  for (std::size_t i = 0; i < from.rows * from.cols; ++i) {
    const std::size_t to = i / from.cols / row_pool * out.cols + i % from.cols / col_pool;
    const bool has_value = out.states[to] == CellState::kValue;
    if (from.state(i) != CellState::kValue) {
      if (!has_value) out.states[to] = from.state(i);
      continue;
    }
    if (!has_value || !(std::fabs(from.values[i]) <= std::fabs(out.values[to]))) {
      out.values[to] = from.values[i];
    }
    out.states[to] = CellState::kValue;
  }
  return out;
}

std::size_t pool_for(std::size_t count, int px) {
  return ceil_div(count, static_cast<std::size_t>(std::max(px, 1)));
}

void check(const SheetPicture& picture) {
  const CellGrid& cells = picture.cells;
  const std::size_t n = cells.rows * cells.cols;
  const bool fits = n > 0 && cells.values.size() == n &&
                    (cells.states.empty() || cells.states.size() == n) &&
                    (picture.rows.labels.empty() || picture.rows.labels.size() == cells.rows) &&
                    (picture.cols.labels.empty() || picture.cols.labels.size() == cells.cols);
  if (!fits) throw Error(ErrorKind::kInternal, "the cells of a sheet do not fit its labels");
}

}  // namespace

SheetPictureBox::SheetPictureBox(const SheetPicture& picture, int max_width, int max_height,
                                 const PictureStyle& style, Typesetter& type)
    : picture_(picture), style_(style), type_(type), sizes_(style) {
  check(picture);
  row_title_ = type.set(picture.rows.title, sizes_.axis_title(90));
  col_title_ = type.set(picture.cols.title, sizes_.axis_title(0));
  bar_ = make_color_bar("", picture.colors, style, sizes_.px(kShortestPanelBar), true, type);
  pool_cells(static_cast<int>(kCellsShare * max_width), max_height);
  const int room = size_cells(max_width, max_height);
  if (room < static_cast<int>(cells_.cols)) {
    pool_cells(room, max_height);
    size_cells(max_width, max_height);
  }
  set_labels();
  measure();
}

LabelOptions SheetPictureBox::label_options() const {
  LabelOptions options = usual_labels(style_, sizes_);
  options.longest = kLongestLabel * sizes_.scale;
  options.numbered = false;
  return options;
}

Axis SheetPictureBox::label_axis(const SheetAxis& axis, std::size_t pool) const {
  return {"", axis.labels, pool, 0, axis.marked};
}

// To no more columns than px in `room`.
void SheetPictureBox::pool_cells(int room, int max_height) {
  const CellGrid& all = picture_.cells;
  row_pool_ = pool_for(all.rows, max_height);
  col_pool_ = pool_for(all.cols, room);
  if (picture_.square) row_pool_ = col_pool_ = std::max(row_pool_, col_pool_);
  cells_ = row_pool_ > 1 || col_pool_ > 1 ? pooled(all, row_pool_, col_pool_) : all;
}

// Cells as large as the place allows beside labels and bar; returns how wide that place is.
int SheetPictureBox::size_cells(int max_width, int max_height) {
  const auto rows = static_cast<int>(cells_.rows);
  const auto cols = static_cast<int>(cells_.cols);
  const int largest = sizes_.px(picture_.square ? kLargestSquare : kLargestPanelCell);
  cell_height_ = std::clamp(max_height / rows, 1, picture_.square ? largest : sizes_.px(26));
  set_labels();
  measure();
  const int beside = std::max(sizes_.px(kBarGap) + bar_.width, col_labels_.overhang_after);
  const int room = max_width - left_ - beside;
  cell_width_ = std::clamp(room / cols, 1, largest);
  if (picture_.square) {
    cell_width_ = cell_height_ = std::min(cell_width_, std::clamp(max_height / rows, 1, largest));
  }
  return room;
}

void SheetPictureBox::set_labels() {
  const LabelOptions options = label_options();
  row_labels_ = {};
  col_labels_ = {};
  if (!picture_.rows.labels.empty()) {
    row_labels_ = mha::render::row_labels(label_axis(picture_.rows, row_pool_),
                                          {cells_.rows, cell_height_}, options, type_);
  }
  if (!picture_.cols.labels.empty()) {
    col_labels_ = mha::render::col_labels(label_axis(picture_.cols, col_pool_),
                                          {cells_.cols, cell_width_}, options, type_);
  }
  set_names(picture_.rows, row_pool_, cell_height_, true, &row_names_);
  set_names(picture_.cols, col_pool_, cell_width_, false, &col_names_);
  numbers_ = number_glyphs(cell_width_, cell_height_, sizes_, type_);
}

// All names, or the marked ones alone where they would run into each other.
void SheetPictureBox::set_names(const SheetAxis& axis, std::size_t pool, int cell, bool is_row,
                                std::vector<Name>* names) {
  names->clear();
  bool all_fit = true;
  for (const SheetSpan& span : axis.spans) {
    TextStyle style = sizes_.label();
    style.bold = span.marked;
    Name name{type_.set(span.label, style), 0, span.marked};
    const double px = static_cast<double>(cell) / static_cast<double>(pool);
    name.center = static_cast<int>(px * static_cast<double>(span.first + span.end) / 2);
    const int needed = is_row ? sizes_.px(17) : advance_px(name.text) + sizes_.px(6);
    all_fit = all_fit && needed <= px * static_cast<double>(span.end - span.first);
    names->push_back(std::move(name));
  }
  if (!all_fit) std::erase_if(*names, [](const Name& name) { return !name.marked; });
}

void SheetPictureBox::measure() {
  const int width = static_cast<int>(cells_.cols) * cell_width_;
  const int height = static_cast<int>(cells_.rows) * cell_height_;
  const int line = sizes_.px(20);
  int name_width = 0;
  for (const Name& name : row_names_) name_width = std::max(name_width, advance_px(name.text));
  if (name_width > 0) name_width += sizes_.gap();
  const int beside = has_row_title() ? line + sizes_.gap() / 2 : 0;
  left_ = std::max({row_labels_.depth + beside, name_width + beside, col_labels_.overhang_before,
                    sizes_.stroke()});
  top_ = std::max(row_labels_.overhang_before, sizes_.px(3));
  below_ = std::max(col_labels_.depth, col_names_.empty() ? 0 : line + sizes_.gap() / 2);
  const int length = std::clamp(height, sizes_.px(kShortestPanelBar), sizes_.px(kLongestPanelBar));
  bar_ = make_color_bar("", picture_.colors, style_, length, true, type_);
  bar_offset_ = std::max(width, advance_px(col_title_)) + sizes_.px(kBarGap);
  width_ = left_ + std::max(bar_offset_ + bar_.width, width + col_labels_.overhang_after);
  const int title_line = col_title_.empty() ? 0 : line;
  height_ =
      top_ + std::max(height + below_ + title_line + sizes_.px(3), bar_.height + sizes_.px(8));
}

// Not beside cells that are lower than the title is long: the shape says it all.
bool SheetPictureBox::has_row_title() const {
  return !row_title_.empty() && row_title_.height <= static_cast<int>(cells_.rows) * cell_height_;
}

CellPlace SheetPictureBox::place_at(int x, int y) const {
  return {x + left_, y + top_, cell_width_, cell_height_,
          separator_for(std::min(cell_width_, cell_height_), sizes_)};
}

Rect SheetPictureBox::cells_at(int x, int y) const {
  return place_at(x, y).area(cells_.rows, cells_.cols);
}

SheetPictureParts SheetPictureBox::parts_at(int x, int y) const {
  const Rect cells = cells_at(x, y);
  SheetPictureParts out{cells, frames_at(cells), {}, {}, {}};
  out.color_bar = {cells.x + bar_offset_, cells.y, bar_.width, bar_.height};
  const int title_x = cells.x + std::max(0, (cells.width - advance_px(col_title_)) / 2);
  out.col_title = text_box(col_title_, title_x, cells.bottom() + below_ + sizes_.px(17));
  if (!has_row_title()) return out;
  out.row_title =
      text_box(row_title_, x + sizes_.px(15), cells.y + (cells.height + row_title_.height) / 2);
  return out;
}

std::vector<Rect> SheetPictureBox::frames_at(const Rect& cells) const {
  std::vector<Rect> out;
  for (const SheetFrame& frame : picture_.frames) {
    const auto first_row = static_cast<int>(frame.row / row_pool_);
    const auto first_col = static_cast<int>(frame.col / col_pool_);
    const auto end_row = static_cast<int>(ceil_div(frame.row + frame.rows, row_pool_));
    const auto end_col = static_cast<int>(ceil_div(frame.col + frame.cols, col_pool_));
    Rect rect{cells.x + first_col * cell_width_, cells.y + first_row * cell_height_,
              (end_col - first_col) * cell_width_, (end_row - first_row) * cell_height_};
    rect.width = std::min(rect.width, cells.right() - rect.x);
    rect.height = std::min(rect.height, cells.bottom() - rect.y);
    out.push_back(rect);
  }
  return out;
}

void SheetPictureBox::draw(Canvas* canvas, int x, int y) const {
  const Theme& theme = style_.theme;
  const CellPlace place = place_at(x, y);
  const Rect cells = cells_at(x, y);
  const bool is_whole = row_pool_ == 1 && col_pool_ == 1;
  paint_cells(canvas, cells_, picture_.colors, {place, is_whole ? numbers_ : nullptr}, style_);
  canvas->frame(cells, std::max(sizes_.stroke(), place.separator), theme.line);
  draw_spans(canvas, cells);
  const SheetPictureParts parts = parts_at(x, y);
  for (const Rect& rect : parts.frames) {
    canvas->frame(rect, sizes_.px(kFrame), theme.foreground);
  }
  draw_row_labels(canvas, row_labels_, cells.x, cells.y, theme);
  draw_col_labels(canvas, col_labels_, cells.x, cells.bottom(), theme);
  draw_names(canvas, cells);
  const auto title = [&](const TextBitmap& text, const Rect& box) {
    if (box.width > 0) canvas->text(text, box.x + text.pen_x, box.y + text.pen_y, theme.muted);
  };
  title(row_title_, parts.row_title);
  title(col_title_, parts.col_title);
  draw_color_bar(canvas, bar_, parts.color_bar.x, parts.color_bar.y, theme);
}

void SheetPictureBox::draw_names(Canvas* canvas, const Rect& cells) const {
  const Theme& theme = style_.theme;
  const auto half = static_cast<int>(type_.metrics(sizes_.label().px).cap_height / 2);
  for (const Name& name : row_names_) {
    canvas->text(name.text, cells.x - sizes_.gap() - advance_px(name.text),
                 cells.y + name.center + half, name.marked ? theme.accent : theme.muted);
  }
  for (const Name& name : col_names_) {
    canvas->text(name.text, cells.x + name.center - advance_px(name.text) / 2,
                 cells.bottom() + sizes_.px(18), name.marked ? theme.accent : theme.muted);
  }
}

void SheetPictureBox::draw_spans(Canvas* canvas, const Rect& cells) const {
  const int stroke = sizes_.px(1.5);
  const Rgb ink = mix(style_.theme.background, style_.theme.muted, 0.8);
  for (const SheetSpan& span : picture_.rows.spans) {
    if (span.first == 0) continue;
    const auto at = static_cast<int>(span.first / row_pool_) * cell_height_;
    canvas->fill({cells.x, cells.y + at - stroke / 2 - 1, cells.width, stroke}, ink);
  }
  for (const SheetSpan& span : picture_.cols.spans) {
    if (span.first == 0) continue;
    const auto at = static_cast<int>(span.first / col_pool_) * cell_width_;
    canvas->fill({cells.x + at - stroke / 2 - 1, cells.y, stroke, cells.height}, ink);
  }
}

}  // namespace mha::render
