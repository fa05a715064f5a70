#include "mha/render/scatter.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mha/base/text.hpp"
#include "mha/render/colormap.hpp"

#include "markers.hpp"
#include "name_places.hpp"
#include "page.hpp"
#include "plane.hpp"

namespace mha::render {
namespace {

constexpr double kMapTickDistance = 64;
constexpr double kLongestName = 160;  // longer ones lose their middle

int marker_size(std::size_t n, const Sizes& sizes) {
  return sizes.px(n <= 100 ? 12 : n <= 400 ? 9 : 7);
}

// Everything set and measured, before anything is drawn. Coordinates are relative to the plot's top
// left corner, which is at (left_, top_).
class Scatter {
 public:
  Scatter(const ScatterFigure& figure, const PictureStyle& style, Typesetter& type);

  Drawing draw() const;
  ScatterLayout layout() const;

 private:
  struct Point {
    std::size_t index = 0;
    Rect box;  // of the marker, its middle at the point
    TextBitmap name;
    std::optional<NamePlace> name_place;
  };
  struct Mark {
    int offset = 0;
    TextBitmap text;
  };

  void set_points(Typesetter& type);
  std::vector<Mark> marks_of(const Range& range, int length, double step, Typesetter& type) const;
  void set_marks(Typesetter& type);
  void measure();
  Page make_page(Typesetter& type) const;
  Marker marker_for(int kind) const;
  Rect plot() const { return {left_, top_, plane_.width, plane_.height}; }
  Rect x_mark_box(const Mark& mark) const;
  Rect y_mark_box(const Mark& mark) const;
  Rect x_title_box() const;
  Rect y_title_box() const;
  void draw_axes(Canvas* canvas) const;
  void draw_points(Canvas* canvas) const;

  const ScatterFigure& figure_;
  const PictureStyle& style_;
  Sizes sizes_;
  Plane plane_;
  int marker_;
  std::vector<Point> points_;
  std::vector<Mark> x_marks_;
  std::vector<Mark> y_marks_;
  TextBitmap x_title_;
  TextBitmap y_title_;
  std::optional<Page> page_;
  int left_ = 0;
  int top_ = 0;
  int right_ = 0;
  int bottom_ = 0;
};

Scatter::Scatter(const ScatterFigure& figure, const PictureStyle& style, Typesetter& type)
    : figure_(figure),
      style_(style),
      sizes_(style),
      plane_(choose_plane(figure, style)),
      marker_(marker_size(figure.points.size(), sizes_)) {
  set_points(type);
  set_marks(type);
  x_title_ = type.set(figure.x_title, sizes_.axis_title(0));
  y_title_ = type.set(figure.y_title, sizes_.axis_title(90));
  measure();
  page_.emplace(make_page(type));
  top_ += page_->body_top();
  bottom_ += page_->body_top();
}

void Scatter::set_points(Typesetter& type) {
  const TextStyle text{.px = sizes_.note().px, .max_width = kLongestName * sizes_.scale};
  std::vector<Rect> boxes;
  std::vector<NameSize> names;
  const int side = marker_ + marker_ / 4;
  for (std::size_t i = 0; i < figure_.points.size(); ++i) {
    const ScatterPoint& point = figure_.points[i];
    if (!has_place(point)) continue;
    const int x = static_cast<int>((point.x - plane_.x.low) * plane_.unit);
    const int y = static_cast<int>((plane_.y.high - point.y) * plane_.unit);
    boxes.push_back({x - side / 2, y - side / 2, side, side});
    points_.push_back({i, boxes.back(), type.set(point.name, text), std::nullopt});
    names.push_back({points_.back().name.width, points_.back().name.height});
  }
  if (style_.labels == LabelMode::kNone) return;
  const Rect area{2, 2, plane_.width - 4, plane_.height - 4};
  const auto places = place_names(boxes, names, area, sizes_.px(3));
  for (std::size_t i = 0; i < points_.size(); ++i) points_[i].name_place = places[i];
}

std::vector<Scatter::Mark> Scatter::marks_of(const Range& range, int length, double step,
                                             Typesetter& type) const {
  std::vector<Mark> out;
  for (const Tick& tick : axis_ticks(range.low, range.high, step)) {
    const int offset = static_cast<int>(std::lround(tick.position * (length - 1)));
    out.push_back({offset, type.set(tick.text, sizes_.tick())});
  }
  return out;
}

// The same round step on both axes, large enough for the numbers along the lower one.
void Scatter::set_marks(Typesetter& type) {
  double distance = sizes_.px(kMapTickDistance);
  for (bool fits = false; !fits; distance *= 2) {
    const double step = distance / plane_.unit;
    x_marks_ = marks_of(plane_.x, plane_.width, step, type);
    y_marks_ = marks_of(plane_.y, plane_.height, step, type);
    fits = true;
    for (std::size_t i = 1; i < x_marks_.size(); ++i) {
      const int widest = std::max(advance_px(x_marks_[i - 1].text), advance_px(x_marks_[i].text));
      fits = fits && x_marks_[i].offset - x_marks_[i - 1].offset >= widest + sizes_.gap();
    }
  }
}

// Places everything below an imagined body top of 0.
void Scatter::measure() {
  int beside = 0;
  for (const Mark& mark : y_marks_) beside = std::max(beside, advance_px(mark.text));
  beside += sizes_.gap() + sizes_.px(y_title_.empty() ? 0 : 28);
  left_ = sizes_.margin() + beside;
  right_ = left_ + plane_.width + sizes_.px(2);
  if (!x_marks_.empty()) right_ = std::max(right_, x_mark_box(x_marks_.back()).right());
  if (!y_title_.empty()) top_ = std::max(0, (y_title_.height - plane_.height + 1) / 2);
  bottom_ = top_ + plane_.height + sizes_.px(24) + sizes_.px(x_title_.empty() ? 0 : 26);
  bottom_ = std::max(bottom_, y_title_box().bottom());
}

Page Scatter::make_page(Typesetter& type) const {
  PictureText text = figure_.text;
  std::size_t without_room = 0;
  for (const Point& point : points_) without_room += !point.name.empty() && !point.name_place;
  if (without_room > 0 && style_.labels != LabelMode::kNone) {
    text.notes.push_back(concat(without_room, " of ", points_.size(),
                                without_room == 1 ? " points has" : " points have",
                                " no name here: there is no room for it."));
  }
  const std::size_t lost = figure_.points.size() - points_.size();
  if (lost > 0) text.notes.push_back(concat("Not drawn, for want of finite coordinates: ", lost));
  std::vector<LegendEntry> entries;
  for (std::size_t kind = 0; kind < figure_.kinds.size(); ++kind) {
    const bool used = std::any_of(points_.begin(), points_.end(), [&](const Point& point) {
      return figure_.points[point.index].kind == static_cast<int>(kind);
    });
    if (!used) continue;
    entries.push_back({.color = kind_color(kind), .marker = kind, .text = figure_.kinds[kind]});
  }
  return Page(text, entries, right_ - sizes_.margin(), left_ - sizes_.margin(), style_, type);
}

Marker Scatter::marker_for(int kind) const {
  if (kind < 0) return plain_marker(marker_, style_.theme);
  const auto index = static_cast<std::size_t>(kind);
  return make_marker(index, marker_, kind_color(index), style_.theme);
}

Rect Scatter::x_mark_box(const Mark& mark) const {
  return text_box(mark.text, left_ + mark.offset - advance_px(mark.text) / 2,
                  plot().bottom() + sizes_.px(19));
}

Rect Scatter::y_mark_box(const Mark& mark) const {
  return text_box(mark.text, left_ - sizes_.px(7) - advance_px(mark.text),
                  plot().bottom() - 1 - mark.offset + sizes_.px(5));
}

Rect Scatter::x_title_box() const {
  return text_box(x_title_, left_ + std::max(0, (plane_.width - advance_px(x_title_)) / 2),
                  plot().bottom() + sizes_.px(43));
}

Rect Scatter::y_title_box() const {
  return text_box(y_title_, sizes_.margin() + sizes_.px(15),
                  top_ + (plane_.height + y_title_.height) / 2);
}

void Scatter::draw_axes(Canvas* canvas) const {
  const Theme& theme = style_.theme;
  const Rect area = plot();
  const Rgb faint = mix(theme.background, theme.line, 0.7);
  const auto put = [&](const TextBitmap& text, const Rect& box) {
    canvas->text(text, box.x + text.pen_x, box.y + text.pen_y, theme.muted);
  };
  const int stroke = sizes_.stroke();
  for (const Mark& mark : x_marks_) {
    canvas->fill({area.x + mark.offset, area.y, stroke, area.height + sizes_.px(4)}, faint);
    put(mark.text, x_mark_box(mark));
  }
  for (const Mark& mark : y_marks_) {
    const int y = area.bottom() - 1 - mark.offset;
    canvas->fill({area.x - sizes_.px(4), y, area.width + sizes_.px(4), stroke}, faint);
    put(mark.text, y_mark_box(mark));
  }
  canvas->frame(area, stroke, theme.line);
  put(x_title_, x_title_box());
  put(y_title_, y_title_box());
}

// Leaders lie below all points, those without a kind below the others, names above all.
void Scatter::draw_points(Canvas* canvas) const {
  for (const Point& point : points_) {
    if (!point.name_place || !point.name_place->leader) continue;
    const auto [from, to] = *point.name_place->leader;
    const PointF start{left_ + from.x, top_ + from.y}, end{left_ + to.x, top_ + to.y};
    canvas->curve({{start, start, end, end}, 0.9 * sizes_.scale, 1, style_.theme.muted});
  }
  std::vector<Marker> markers;
  for (std::size_t kind = 0; kind < figure_.kinds.size(); ++kind) {
    markers.push_back(marker_for(static_cast<int>(kind)));
  }
  const Marker plain = marker_for(-1);
  for (const bool has_kind : {false, true}) {
    for (const Point& point : points_) {
      const int kind = figure_.points[point.index].kind;
      const bool known = kind >= 0 && static_cast<std::size_t>(kind) < markers.size();
      if (known != has_kind) continue;
      const Marker& marker = known ? markers[static_cast<std::size_t>(kind)] : plain;
      const Rect& box = point.box;
      canvas->marker(marker, left_ + box.x + box.width / 2, top_ + box.y + box.height / 2);
    }
  }
  for (const Point& point : points_) {
    if (!point.name_place) continue;
    const Rect& box = point.name_place->box;
    canvas->text(point.name, left_ + box.x + point.name.pen_x, top_ + box.y + point.name.pen_y,
                 style_.theme.foreground);
  }
}

Drawing Scatter::draw() const {
  Canvas canvas(page_->width(right_), page_->height(bottom_), style_);
  draw_axes(&canvas);
  draw_points(&canvas);
  page_->draw(&canvas, bottom_, style_.theme);
  return canvas.take();
}

ScatterLayout Scatter::layout() const {
  ScatterLayout out;
  const PageBoxes around = page_->boxes(bottom_);
  out.width = page_->width(right_);
  out.height = page_->height(bottom_);
  out.title = around.title;
  out.caption = around.caption;
  out.legend = around.legend;
  out.notes = around.notes;
  out.plot = plot();
  const auto moved = [&](const Rect& box) {
    return Rect{left_ + box.x, top_ + box.y, box.width, box.height};
  };
  for (const Point& point : points_) {
    out.points.push_back({point.index, moved(point.box)});
    if (point.name_place) out.names.push_back({point.index, moved(point.name_place->box)});
  }
  for (const Mark& mark : x_marks_) out.x_ticks.push_back(x_mark_box(mark));
  for (const Mark& mark : y_marks_) out.y_ticks.push_back(y_mark_box(mark));
  out.x_title = x_title_box();
  out.y_title = y_title_box();
  return out;
}

}  // namespace

Drawing draw_scatter(const ScatterFigure& figure, const PictureStyle& style,
                     Typesetter& typesetter) {
  const PictureStyle fitted = fit_width(style, [&](PictureStyle tried) {
    tried.labels = LabelMode::kNone;  // names lie inside the plot, and take long to place
    return Scatter(figure, tried, typesetter).layout().width;
  });
  return Scatter(figure, fitted, typesetter).draw();
}

ScatterLayout layout_scatter(const ScatterFigure& figure, const PictureStyle& style,
                             Typesetter& typesetter) {
  return Scatter(figure, style, typesetter).layout();
}

}  // namespace mha::render
