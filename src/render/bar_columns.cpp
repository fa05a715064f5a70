#include <algorithm>
#include <cmath>

#include "mha/base/text.hpp"

#include "axis_labels.hpp"
#include "bar_series.hpp"
#include "page.hpp"

namespace mha::render {
namespace {

constexpr double kColumnsWidth = 900;
constexpr double kColumnsHeight = 300;

class BarColumns {
 public:
  BarColumns(const BarsFigure& figure, const BarSeries& series, const PictureStyle& style,
             Typesetter& type);
  Drawing draw() const;

 private:
  int y_of(double value) const;  // below the top of the plot
  int width() const { return static_cast<int>(series_.cells.cols) * column_; }
  int depth() const;
  Page make_page() const;
  void draw_scale(Canvas* canvas, int top) const;
  void draw_column(Canvas* canvas, std::size_t i, int top) const;
  void draw_axis(Canvas* canvas, int top) const;

  const BarsFigure& figure_;
  const BarSeries& series_;
  const PictureStyle& style_;
  const Theme& theme_;
  Typesetter& type_;
  Sizes sizes_;
  int column_;
  int height_;
  AxisLabels labels_;
  TextBitmap axis_title_;
  TextBitmap value_title_;
  std::vector<Tick> ticks_;
  std::vector<TextBitmap> tick_texts_;
  int left_ = 0;
};

BarColumns::BarColumns(const BarsFigure& figure, const BarSeries& series, const PictureStyle& style,
                       Typesetter& type)
    : figure_(figure),
      series_(series),
      style_(style),
      theme_(style.theme),
      type_(type),
      sizes_(style),
      column_(std::max(1, static_cast<int>(std::lround(sizes_.px(style.area * kColumnsWidth) /
                                                       static_cast<double>(series.cells.cols))))),
      height_(sizes_.px(kColumnsHeight)),
      ticks_(round_ticks(value_axis(series), 6)) {
  labels_ =
      col_labels(series.keys, {series.cells.cols, column_}, usual_labels(style, sizes_), type);
  axis_title_ = type.set(figure.keys.title, sizes_.axis_title(0));
  value_title_ = type.set(figure.value_name, sizes_.axis_title(90));
  double widest = 0;
  for (const Tick& tick : ticks_) {
    tick_texts_.push_back(type.set(tick.text, sizes_.tick()));
    widest = std::max(widest, tick_texts_.back().advance);
  }
  const int beside = static_cast<int>(widest) + sizes_.px(value_title_.empty() ? 8 : 36);
  left_ = sizes_.margin() + std::max(beside, labels_.overhang_before);
}

int BarColumns::y_of(double value) const {
  const double part = (value - series_.low) / (series_.high - series_.low);
  return height_ - static_cast<int>(std::lround(part * height_));
}

// Of labels and axis title, below the plot.
int BarColumns::depth() const {
  return labels_.depth + (axis_title_.empty() ? 0 : sizes_.gap() + sizes_.px(20));
}

Page BarColumns::make_page() const {
  PictureText text = figure_.text;
  if (series_.pool > 1) {
    text.notes.push_back(concat("Each bar shows the maximum of ", series_.keys.pool, " tokens."));
  }
  CellKinds kinds;
  kinds.add(series_.cells);
  kinds.masked = kinds.masked || kinds.fully_masked;
  kinds.fully_masked = false;
  return Page(text, entries_for(kinds, theme_), left_ - sizes_.margin() + width(),
              left_ - sizes_.margin(), style_, type_);
}

void BarColumns::draw_scale(Canvas* canvas, int top) const {
  for (std::size_t i = 0; i < ticks_.size(); ++i) {
    const int y = top + height_ - static_cast<int>(std::lround(ticks_[i].position * height_));
    canvas->fill({left_, y, width(), sizes_.stroke()}, mix(theme_.background, theme_.line, 0.7));
    const int x = left_ - sizes_.px(8) - static_cast<int>(tick_texts_[i].advance);
    canvas->text(tick_texts_[i], x, y + sizes_.px(5), theme_.muted);
  }
  canvas->text(value_title_, sizes_.margin() + sizes_.px(15),
               top + (height_ + value_title_.height) / 2, theme_.muted);
}

void BarColumns::draw_column(Canvas* canvas, std::size_t i, int top) const {
  const int gap = column_ >= 4 ? sizes_.stroke() : 0;
  const int x = left_ + static_cast<int>(i) * column_;
  const double value = series_.cells.values[i];
  const CellState state = series_.cells.state(i);
  const auto band = [&](Rgb color) { canvas->fill({x, top, column_, height_}, color); };
  if (state == CellState::kMissing) return band(theme_.missing);
  if (state != CellState::kValue) return band(theme_.masked);
  if (!std::isfinite(value)) return band(theme_.non_finite);
  const int zero = y_of(0);
  const int end = y_of(value);
  canvas->fill({x, top + std::min(zero, end), column_ - gap, std::abs(end - zero)}, theme_.accent);
}

void BarColumns::draw_axis(Canvas* canvas, int top) const {
  canvas->fill({left_, top + y_of(0), width(), sizes_.stroke()}, theme_.muted);
  draw_col_labels(canvas, labels_, left_, top + height_, theme_);
  const int length = static_cast<int>(axis_title_.advance);
  canvas->text(axis_title_, left_ + std::max(0, (width() - length) / 2),
               top + height_ + labels_.depth + sizes_.gap() + sizes_.px(15), theme_.muted);
}

Drawing BarColumns::draw() const {
  const Page page = make_page();
  const int top = page.body_top() + sizes_.px(6);
  const int bottom = top + height_ + depth();
  const int right = left_ + width() + std::max(0, labels_.overhang_after);
  Canvas canvas(page.width(right), page.height(bottom), style_);
  draw_scale(&canvas, top);
  for (std::size_t i = 0; i < series_.cells.cols; ++i) draw_column(&canvas, i, top);
  draw_axis(&canvas, top);
  page.draw(&canvas, bottom, theme_);
  return canvas.take();
}

}  // namespace

Drawing draw_bar_columns(const BarsFigure& figure, const BarSeries& series,
                         const PictureStyle& style, Typesetter& type) {
  return BarColumns(figure, series, style, type).draw();
}

}  // namespace mha::render
