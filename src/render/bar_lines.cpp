#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "mha/base/text.hpp"

#include "axis_labels.hpp"
#include "bar_series.hpp"
#include "page.hpp"

namespace mha::render {
namespace {

constexpr double kBarLength = 460;  // px, of the longest possible bar
constexpr double kLinePitch = 25;

std::string value_text(double value) {
  if (std::fabs(value) >= 100) return fixed(value, 1);
  return value == 0 ? "0" : fixed(value, 3);
}

class BarLines {
 public:
  BarLines(const BarsFigure& figure, const BarSeries& series, const PictureStyle& style,
           Typesetter& type);
  Drawing draw() const;

 private:
  int x_of(double value) const;
  void draw_scale(Canvas* canvas, int top) const;
  void draw_line(Canvas* canvas, std::size_t i, int middle) const;
  void draw_label(Canvas* canvas, const AxisLabel& label, int top) const;

  const BarsFigure& figure_;
  const BarSeries& series_;
  const PictureStyle& style_;
  const Theme& theme_;
  Typesetter& type_;
  Sizes sizes_;
  AxisLabels labels_;
  TextBitmap axis_title_;
  TextBitmap value_title_;
  int pitch_;
  int left_ = 0;
  int length_;
  int baseline_;  // from the middle of a line down to its text's baseline
  int right_ = 0;
};

BarLines::BarLines(const BarsFigure& figure, const BarSeries& series, const PictureStyle& style,
                   Typesetter& type)
    : figure_(figure),
      series_(series),
      style_(style),
      theme_(style.theme),
      type_(type),
      sizes_(style),
      pitch_(sizes_.px(kLinePitch)),
      length_(std::max(1, sizes_.px(style.area * kBarLength))),
      baseline_(sizes_.px(5)) {
  LabelOptions options = usual_labels(style, sizes_);
  labels_ = row_labels(series.keys, {series.cells.cols, pitch_}, options, type);
  axis_title_ = type.set(figure.keys.title, sizes_.axis_title(0));
  value_title_ = type.set(figure.value_name, sizes_.axis_title(0));
  left_ = sizes_.margin() + std::max(labels_.depth, advance_px(axis_title_) + sizes_.gap());
  const double number = type.width("\u22120.000", sizes_.tick());
  right_ = left_ + length_ + sizes_.gap() + static_cast<int>(number);
}

int BarLines::x_of(double value) const {
  const double part = (value - series_.low) / (series_.high - series_.low);
  return left_ + static_cast<int>(std::lround(part * length_));
}

void BarLines::draw_scale(Canvas* canvas, int top) const {
  const int height = pitch_ * static_cast<int>(series_.cells.cols);
  const int under = top + height + sizes_.px(4);
  for (const Tick& tick : round_ticks(value_axis(series_), 6)) {
    const int x = left_ + static_cast<int>(std::lround(tick.position * length_));
    canvas->fill({x, top, sizes_.stroke(), under - top}, mix(theme_.background, theme_.line, 0.7));
    const TextBitmap text = type_.set(tick.text, sizes_.tick());
    canvas->text(text, x - advance_px(text) / 2, under + sizes_.px(15), theme_.muted);
  }
  canvas->text(value_title_, left_ + (length_ - advance_px(value_title_)) / 2,
               under + sizes_.px(38), theme_.muted);
  canvas->text(axis_title_, left_ - sizes_.gap() - advance_px(axis_title_), top - sizes_.px(8),
               theme_.muted);
}

void BarLines::draw_line(Canvas* canvas, std::size_t i, int middle) const {
  const int thick = sizes_.px(17);
  const double value = series_.cells.values[i];
  const CellState state = series_.cells.state(i);
  const int zero = x_of(0);
  const auto word = [&](std::string_view text, Rgb color) {
    canvas->text(type_.set(text, sizes_.tick()), zero + sizes_.gap(), middle + baseline_, color);
  };
  if (state == CellState::kMasked || state == CellState::kFullyMasked) {
    const Rect box{left_, middle - thick / 2, length_, thick};
    canvas->fill(box, mix(theme_.background, theme_.masked, 0.7));
    return word("masked", theme_.muted);
  }
  if (state == CellState::kMissing) return word("missing", theme_.muted);
  if (!std::isfinite(value)) return word("NaN or infinite", theme_.non_finite);
  const int end = x_of(value);
  const Rect bar{std::min(zero, end), middle - thick / 2, std::abs(end - zero), thick};
  canvas->fill(bar, theme_.accent);
  const bool says_something = std::fabs(value) >= 0.005 * series_.high;
  canvas->text(type_.set(value_text(value), sizes_.tick()), std::max(zero, end) + sizes_.px(6),
               middle + baseline_, says_something ? theme_.foreground : theme_.muted);
}

void BarLines::draw_label(Canvas* canvas, const AxisLabel& label, int top) const {
  const std::size_t cell = label.token / std::max<std::size_t>(series_.keys.pool, 1);
  const bool quiet = series_.cells.state(cell) != CellState::kValue;
  const bool is_query = label.token == figure_.highlight;
  const Rgb usual = quiet && !label.marked ? theme_.muted : ink_of(label, theme_);
  const Rgb color = is_query ? theme_.accent : usual;
  canvas->text(label.text, left_ + label.pen_x, top + label.pen_y, color);
}

Drawing BarLines::draw() const {
  const Page page(figure_.text, {}, right_ - sizes_.margin(), left_ - sizes_.margin(), style_,
                  type_);
  const int title = axis_title_.empty() ? 0 : sizes_.px(22);
  const int top = page.body_top() + title;
  const int bottom = top + pitch_ * static_cast<int>(series_.cells.cols) +
                     sizes_.px(value_title_.empty() ? 24 : 46);
  Canvas canvas(page.width(right_), page.height(bottom), style_);
  draw_scale(&canvas, top);
  for (const AxisLabel& label : labels_.labels) draw_label(&canvas, label, top);
  for (std::size_t i = 0; i < series_.cells.cols; ++i) {
    draw_line(&canvas, i, top + pitch_ * static_cast<int>(i) + pitch_ / 2);
  }
  const Rect zero{x_of(0), top, sizes_.stroke(), pitch_ * static_cast<int>(series_.cells.cols)};
  canvas.fill(zero, theme_.muted);
  page.draw(&canvas, bottom, theme_);
  return canvas.take();
}

}  // namespace

Drawing draw_bar_lines(const BarsFigure& figure, const BarSeries& series, const PictureStyle& style,
                       Typesetter& type) {
  return BarLines(figure, series, style, type).draw();
}

}  // namespace mha::render
