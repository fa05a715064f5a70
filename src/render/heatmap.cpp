#include "mha/render/heatmap.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/render/colormap.hpp"

#include "axis_labels.hpp"
#include "cell_painter.hpp"
#include "color_bar.hpp"
#include "legend.hpp"
#include "page.hpp"
#include "sizes.hpp"

namespace mha::render {
namespace {

constexpr int kThinnestArea = 48;  // one row or column of many cells is drawn this thick

// A few rows (or columns) are drawn thicker than wide, so that a 1 x 4000 matrix is no mere line.
int thickened(std::size_t count, std::size_t cell, const PictureStyle& style) {
  if (style.cell_px > 0) return static_cast<int>(cell);
  const auto least = static_cast<std::size_t>(Sizes(style).px(kThinnestArea));
  return static_cast<int>(std::max(cell, (least + count - 1) / count));
}

struct Point {
  int x = 0;
  int y = 0;
};

// Where the parts of the body go. Titles: their pens; the bar: its top left corner.
struct Body {
  Rect cells;
  Point row_title;
  Point col_title;
  Point bar;
  int right = 0;
  int bottom = 0;
};

}  // namespace

struct HeatmapPainter::Impl {
  std::size_t n_rows;
  std::size_t n_cols;
  std::string value_name;
  PictureStyle style;
  Sizes sizes;
  Typesetter& type;
  int cell_width = 1;
  int cell_height = 1;
  bool is_flat = false;  // too low for rotated titles and an upright colour bar
  AxisLabels rows;
  AxisLabels cols;
  TextBitmap row_title;
  TextBitmap col_title;
  int title_line = 0;
  std::shared_ptr<const NumberGlyphs> numbers;

  Impl(const HeatmapFrame& frame, Size cells, const PictureStyle& picture, Typesetter& typesetter);
  int area_width() const { return static_cast<int>(n_cols) * cell_width; }
  int area_height() const { return static_cast<int>(n_rows) * cell_height; }
  int left_of_cells() const;
  ColorBar make_bar(const ColorScale& colors) const;
  Page make_page(const PictureText& text, const CellGrid& cells, const Body& body) const;
  Body place(const ColorBar& bar, int top) const;
  void place_below(const ColorBar& bar, Body* body) const;
  int width_with(const ColorScale& colors) const;
  void check(const CellGrid& cells) const;
  void draw_frame(Canvas* canvas, const ColorBar& bar, const Body& body) const;
};

HeatmapPainter::Impl::Impl(const HeatmapFrame& frame, Size cells, const PictureStyle& picture,
                           Typesetter& typesetter)
    : n_rows(cells.rows),
      n_cols(cells.cols),
      value_name(frame.value_name),
      style(picture),
      sizes(picture),
      type(typesetter) {
  if (n_rows == 0 || n_cols == 0) throw Error(ErrorKind::kInternal, "a heatmap without cells");
  const std::size_t cell = cell_size(n_rows, n_cols, style);
  const auto side = [&](std::size_t n) {
    return frame.named ? named_cell_size(n, cell, style) : cell;
  };
  cell_width = thickened(n_cols, side(n_cols), style);
  cell_height = thickened(n_rows, side(n_rows), style);
  LabelOptions options = usual_labels(style, sizes);
  options.numbered = !frame.named;
  if (frame.named) options.longest = sizes.longest_name();
  rows = row_labels(frame.rows, {n_rows, cell_height}, options, type);
  cols = col_labels(frame.cols, {n_cols, cell_width}, options, type);
  col_title = type.set(frame.cols.title, sizes.axis_title(0));
  row_title = type.set(frame.rows.title, sizes.axis_title(90));
  title_line = sizes.px(20);
  is_flat = area_height() < sizes.flat() || row_title.height > area_height();
  if (is_flat) row_title = type.set(frame.rows.title, sizes.axis_title(0));
  numbers = number_glyphs(cell_width, cell_height, sizes, type);
}

int HeatmapPainter::Impl::left_of_cells() const {
  const int beside = row_title.empty() || is_flat ? 0 : title_line + sizes.gap();
  const int labels = std::max(rows.depth + beside, cols.overhang_before);
  return sizes.margin() + std::max(labels, sizes.stroke());
}

ColorBar HeatmapPainter::Impl::make_bar(const ColorScale& colors) const {
  const int length = is_flat ? std::clamp(area_width(), sizes.px(160), sizes.px(320))
                             : std::min(area_height(), sizes.longest_bar());
  return make_color_bar(value_name, colors, style, length, !is_flat, type);
}

Page HeatmapPainter::Impl::make_page(const PictureText& text, const CellGrid& cells,
                                     const Body& body) const {
  CellKinds kinds;
  kinds.add(cells);
  return Page(text, entries_for(kinds, style.theme), body.right - sizes.margin(),
              left_of_cells() - sizes.margin(), style, type);
}

// The body with its top at `top`.
Body HeatmapPainter::Impl::place(const ColorBar& bar, int top) const {
  Body body;
  int y = top;
  if (is_flat && !row_title.empty()) {
    body.row_title = {sizes.margin(), y + title_line * 3 / 4};
    y += title_line + sizes.px(6);
  }
  y += rows.overhang_before;
  body.cells = {left_of_cells(), y, area_width(), area_height()};
  if (!is_flat) {
    body.row_title = {sizes.margin() + title_line * 3 / 4,
                      y + (area_height() + row_title.height) / 2};
  }
  place_below(bar, &body);
  return body;
}

// Everything under the cells and beside them, and where the body ends.
void HeatmapPainter::Impl::place_below(const ColorBar& bar, Body* body) const {
  const Rect& cells = body->cells;
  int y = cells.bottom() + std::max({cols.depth, rows.overhang_after, sizes.stroke()});
  const int title_width = static_cast<int>(std::ceil(col_title.advance));
  body->col_title.x = std::max(cells.x + (cells.width - title_width) / 2, sizes.margin());
  if (!col_title.empty()) {
    body->col_title.y = y + sizes.gap() + title_line * 3 / 4;
    y += sizes.gap() + title_line;
  }
  int bar_bottom = y;
  if (bar.upright) {
    body->bar = {cells.right() + sizes.px(20), cells.y - bar.lead};
    bar_bottom = body->bar.y + bar.height;
  } else {
    body->bar = {cells.x - bar.lead, y + sizes.px(12)};
    bar_bottom = body->bar.y + bar.height;
  }
  body->bottom = std::max(y, bar_bottom);
  body->right = std::max({body->bar.x + bar.width, cells.right() + cols.overhang_after,
                          cells.right() + sizes.stroke(), body->col_title.x + title_width});
}

// Without a title, which is broken into lines where the figure has a width.
int HeatmapPainter::Impl::width_with(const ColorScale& colors) const {
  const Body body = place(make_bar(colors), 0);
  return Page({}, {}, body.right - sizes.margin(), 0, style, type).width(body.right);
}

void HeatmapPainter::Impl::check(const CellGrid& cells) const {
  const std::size_t n = n_rows * n_cols;
  const bool fits = cells.rows == n_rows && cells.cols == n_cols && cells.values.size() == n &&
                    (cells.states.empty() || cells.states.size() == n);
  if (fits) return;
  throw Error(ErrorKind::kInternal, concat("heatmap cells: expected ", n_rows, "x", n_cols,
                                           ", got ", cells.rows, "x", cells.cols));
}

void HeatmapPainter::Impl::draw_frame(Canvas* canvas, const ColorBar& bar, const Body& body) const {
  const Theme& theme = style.theme;
  draw_row_labels(canvas, rows, body.cells.x, body.cells.y, theme);
  draw_col_labels(canvas, cols, body.cells.x, body.cells.bottom(), theme);
  canvas->text(row_title, body.row_title.x, body.row_title.y, theme.muted);
  canvas->text(col_title, body.col_title.x, body.col_title.y, theme.muted);
  draw_color_bar(canvas, bar, body.bar.x, body.bar.y, theme);
}

HeatmapPainter::HeatmapPainter(const HeatmapFrame& frame, Size cells, const PictureStyle& style,
                               Typesetter& typesetter, std::span<const ColorScale> scales) {
  static const ColorScale kUsual{.colormap = {}, .kind = {}, .low = 0, .high = 0.25};
  if (scales.empty()) scales = {&kUsual, 1};
  // Hundreds of heads may each have a scale of their own, so those are fitted that turn out to be
  // the widest, which are few.
  std::vector<ColorScale> widest{scales[0]};
  while (true) {
    const PictureStyle fitted = fit_width(style, [&](const PictureStyle& tried) {
      const Impl impl(frame, cells, tried, typesetter);
      int width = 0;
      for (const ColorScale& colors : widest) width = std::max(width, impl.width_with(colors));
      return width;
    });
    impl_ = std::make_unique<Impl>(frame, cells, fitted, typesetter);
    if (style.width_px == 0) return;
    const auto width_of = [&](const ColorScale& colors) { return impl_->width_with(colors); };
    const auto next = std::ranges::max_element(scales, {}, width_of);
    if (width_of(*next) <= style.width_px || widest.size() == scales.size()) return;
    widest.push_back(*next);
  }
}
HeatmapPainter::~HeatmapPainter() = default;
HeatmapPainter::HeatmapPainter(HeatmapPainter&&) noexcept = default;

Drawing HeatmapPainter::paint(const PictureText& text, const CellGrid& cells,
                              const ColorScale& colors) const {
  const Impl& self = *impl_;
  self.check(cells);
  const ColorBar bar = self.make_bar(colors);
  const Page page = self.make_page(text, cells, self.place(bar, 0));
  const Body body = self.place(bar, page.body_top());
  Canvas canvas(page.width(body.right), page.height(body.bottom), self.style);
  const int smaller_side = std::min(self.cell_width, self.cell_height);
  const CellPlace place{body.cells.x, body.cells.y, self.cell_width, self.cell_height,
                        separator_for(smaller_side, self.sizes)};
  paint_cells(&canvas, cells, colors, {place, self.numbers}, self.style);
  canvas.frame(place.area(cells.rows, cells.cols), std::max(self.sizes.stroke(), place.separator),
               self.style.theme.line);
  self.draw_frame(&canvas, bar, body);
  page.draw(&canvas, body.bottom, self.style.theme);
  return canvas.take();
}

HeatmapLayout HeatmapPainter::layout(const PictureText& text, const CellGrid& cells,
                                     const ColorScale& colors) const {
  const Impl& self = *impl_;
  self.check(cells);
  const ColorBar bar = self.make_bar(colors);
  const Page page = self.make_page(text, cells, self.place(bar, 0));
  const Body body = self.place(bar, page.body_top());
  const ColorBarBoxes bar_boxes = color_bar_boxes(bar, body.bar.x, body.bar.y);
  const PageBoxes around = page.boxes(body.bottom);
  HeatmapLayout out;
  out.width = page.width(body.right);
  out.height = page.height(body.bottom);
  out.title = around.title;
  out.caption = around.caption;
  out.cells = body.cells;
  out.color_bar = bar_boxes.colors;
  out.bar_title = bar_boxes.title;
  out.ticks = bar_boxes.marks;
  out.row_title = text_box(self.row_title, body.row_title.x, body.row_title.y);
  out.col_title = text_box(self.col_title, body.col_title.x, body.col_title.y);
  out.row_labels = placed(self.rows, body.cells.x, body.cells.y);
  out.col_labels = placed(self.cols, body.cells.x, body.cells.bottom());
  out.col_angle = self.cols.angle;
  out.legend = around.legend;
  out.notes = around.notes;
  return out;
}

Drawing draw_heatmap(const HeatmapFigure& figure, const PictureStyle& style,
                     Typesetter& typesetter) {
  const HeatmapPainter painter(figure.frame, {figure.cells.rows, figure.cells.cols}, style,
                               typesetter, {&figure.colors, 1});
  return painter.paint(figure.text, figure.cells, figure.colors);
}

}  // namespace mha::render
