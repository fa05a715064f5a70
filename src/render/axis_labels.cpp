#include "axis_labels.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "text_block.hpp"

namespace mha::render {
namespace {

constexpr double kLeading = 1.17;  // smallest distance of baselines, em
constexpr double kDiagonal = std::numbers::sqrt2 / 2;

std::string shown_label(const Axis& axis, std::size_t token) {
  if (axis.labels.empty()) return std::to_string(axis.first + token);
  return axis.labels[token];
}

bool is_marked(const Axis& axis, std::size_t token) {
  return std::find(axis.marked.begin(), axis.marked.end(), token) != axis.marked.end();
}

double token_pitch(const Axis& axis, CellRun cells) {
  return cells.px / static_cast<double>(std::max<std::size_t>(axis.pool, 1));
}

int center_of(std::size_t token, double pitch) {
  return static_cast<int>((static_cast<double>(token) + 0.5) * pitch);
}

// The size at which all labels, `pitch` apart, fit; or the one for thinned labels.
double size_for_pitch(double pitch, const LabelOptions& options) {
  const double fitting = pitch / kLeading;
  return fitting < options.smallest ? options.thinned : std::min(fitting, options.px);
}

// Widest label, up to `enough` px: stops measuring at the first that is wider.
double widest(const Axis& axis, std::size_t n, const TextStyle& style, double enough,
              Typesetter& type) {
  double width = 0;
  for (std::size_t t = 0; t < n && width <= enough; ++t) {
    width = std::max(width, type.width(shown_label(axis, t), style));
  }
  return width;
}

int rounded(double x) {
  return static_cast<int>(std::lround(x));
}

Rect united(const Rect& a, const Rect& b) {
  if (a.width == 0 || a.height == 0) return b;
  if (b.width == 0 || b.height == 0) return a;
  const int x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

// Adds a label whose pens are set.
void add_label(AxisLabels* out, AxisLabel label, int extent, bool rows) {
  label.box = united(text_box(label.text, label.pen_x, label.pen_y),
                     text_box(label.number, label.number_x, label.number_y));
  const Rect& box = label.box;
  if (box.width > 0 && box.height > 0) {
    out->depth = std::max(out->depth, rows ? -box.x : box.bottom());
    out->overhang_before = std::max(out->overhang_before, rows ? -box.y : -box.x);
    out->overhang_after =
        std::max(out->overhang_after, (rows ? box.bottom() : box.right()) - extent);
  }
  out->labels.push_back(std::move(label));
}

// The positions beside thinned token labels: which token of hundreds is meant.
struct Numbering {
  bool wanted = false;
  double width = 0;  // of the longest number and the space between it and the token
  double px = 13;

  Numbering(const Axis& axis, std::size_t n, bool wanted_here, double label_px, Typesetter& type)
      : wanted(wanted_here && !axis.labels.empty()), px(0.9 * label_px) {
    if (wanted) width = type.width(std::to_string(axis.first + n - 1), {.px = px}) + 0.6 * px;
  }
};

void add_marks(const Axis& axis, double pitch, AxisLabels* out) {
  for (const std::size_t token : axis.marked) out->marks.push_back(center_of(token, pitch));
}

// Puts the pen of a column label; the text's end (or middle, when level) meets the column, `gap`
// below the cells.
void place_col_label(AxisLabel* label, int angle, double gap, const LineMetrics& metrics) {
  const double half = 0.25 * (metrics.x_height + metrics.cap_height);
  const double length = label->text.advance;
  if (angle == 0) {
    label->pen_x = rounded(label->center - length / 2);
    label->pen_y = rounded(gap + metrics.cap_height);
  } else if (angle == 90) {
    label->pen_x = rounded(label->center + half);
    label->pen_y = rounded(gap + length);
  } else {
    label->pen_x = rounded(label->center + (half - length) * kDiagonal);
    label->pen_y = rounded(gap + (half + length) * kDiagonal);
  }
}

struct ColumnPlan {
  int angle;
  double px;
  double needed;  // distance between the centres of neighbours
};

ColumnPlan plan_columns(const Axis& axis, std::size_t n, double pitch, const LabelOptions& options,
                        Typesetter& type) {
  const double between = 0.7 * options.px;
  if (axis.labels.empty()) {
    const double all = type.width(std::to_string(axis.first + n), {.px = options.px}) + between;
    if (all <= pitch) return {0, options.px, pitch};
    const double px = options.thinned;
    return {0, px, type.width(std::to_string(axis.first + n), {.px = px}) + between};
  }
  if (pitch >= 1.5 * options.px &&
      widest(axis, n, {.px = options.px, .bold = !axis.marked.empty()}, pitch, type) + between <=
          pitch) {
    return {0, options.px, pitch};
  }
  const double diagonal = kLeading * options.px / kDiagonal;
  if (pitch >= diagonal) return {45, options.px, diagonal};
  const double px = size_for_pitch(pitch, options);
  return {90, px, kLeading * px};
}

}  // namespace

std::vector<std::size_t> thin_labels(std::size_t n, double pitch, double needed) {
  std::vector<std::size_t> kept;
  if (n == 0) return kept;
  std::size_t step = 1;
  for (std::size_t power = 1; step * pitch < needed && step < n; power *= 10) {
    for (std::size_t factor : {1, 2, 5}) {
      step = factor * power;
      if (step * pitch >= needed || step >= n) break;
    }
  }
  for (std::size_t i = 0; i < n; i += step) kept.push_back(i);
  if (kept.back() == n - 1) return kept;
  const auto distance = [&] { return static_cast<double>(n - 1 - kept.back()) * pitch; };
  if (kept.size() > 1 && distance() < needed) kept.pop_back();
  if (distance() >= needed) kept.push_back(n - 1);
  return kept;
}

LabelOptions usual_labels(const PictureStyle& style, const Sizes& sizes) {
  return {.mode = style.labels,
          .px = sizes.label().px,
          .smallest = style.labels == LabelMode::kAll ? sizes.scale * 7 : sizes.smallest_label(),
          .thinned = sizes.note().px,
          .longest = sizes.longest_label(),
          .gap = sizes.gap(),
          .stroke = std::max(1, sizes.stroke())};
}

std::size_t token_count(const Axis& axis, std::size_t cells) {
  const std::size_t covered = cells * std::max<std::size_t>(axis.pool, 1);
  return axis.labels.empty() ? covered : std::min(axis.labels.size(), covered);
}

AxisLabels row_labels(const Axis& axis, CellRun cells, const LabelOptions& options,
                      Typesetter& type) {
  AxisLabels out;
  out.stroke = options.stroke;
  if (options.mode == LabelMode::kNone) return out;
  const double pitch = token_pitch(axis, cells);
  const std::size_t n = token_count(axis, cells.count);
  const double px = size_for_pitch(pitch, options);
  const LineMetrics metrics = type.metrics(px);
  const double half = 0.25 * (metrics.x_height + metrics.cap_height);
  const std::vector<std::size_t> kept = thin_labels(n, pitch, kLeading * px);
  out.thinned = kept.size() < n;
  const Numbering numbering(axis, n, out.thinned && options.numbered, px, type);
  for (std::size_t token : kept) {
    AxisLabel label;
    label.token = token;
    label.center = center_of(token, pitch);
    label.marked = is_marked(axis, token);
    label.text = type.set(shown_label(axis, token),
                          {.px = px, .bold = label.marked, .max_width = options.longest});
    label.pen_x = rounded(-options.gap - numbering.width - std::ceil(label.text.advance));
    label.pen_y = rounded(label.center + half);
    if (numbering.wanted) {
      label.number = type.set(std::to_string(axis.first + token), {.px = numbering.px});
      label.number_x = rounded(-options.gap - label.number.advance);
      label.number_y = label.pen_y;
    }
    add_label(&out, std::move(label), cells.extent(), true);
  }
  add_marks(axis, pitch, &out);
  return out;
}

AxisLabels col_labels(const Axis& axis, CellRun cells, const LabelOptions& options,
                      Typesetter& type) {
  AxisLabels out;
  out.stroke = options.stroke;
  if (options.mode == LabelMode::kNone) return out;
  const double pitch = token_pitch(axis, cells);
  const std::size_t n = token_count(axis, cells.count);
  const ColumnPlan plan = plan_columns(axis, n, pitch, options, type);
  const LineMetrics metrics = type.metrics(plan.px);
  out.angle = plan.angle;
  const std::vector<std::size_t> kept = thin_labels(n, pitch, plan.needed);
  out.thinned = kept.size() < n;
  const Numbering numbering(axis, n, out.thinned && options.numbered, plan.px, type);
  for (std::size_t token : kept) {
    AxisLabel label;
    label.token = token;
    label.center = center_of(token, pitch);
    label.marked = is_marked(axis, token);
    label.text = type.set(
        shown_label(axis, token),
        {.px = plan.px, .bold = label.marked, .angle = plan.angle, .max_width = options.longest});
    place_col_label(&label, plan.angle, options.gap + numbering.width, metrics);
    if (numbering.wanted) {
      label.number =
          type.set(std::to_string(axis.first + token), {.px = numbering.px, .angle = 90});
      label.number_x = label.pen_x;
      label.number_y = rounded(options.gap + label.number.advance);
    }
    add_label(&out, std::move(label), cells.extent(), false);
  }
  add_marks(axis, pitch, &out);
  return out;
}

Rgb ink_of(const AxisLabel& label, const Theme& theme) {
  return label.marked ? theme.accent : theme.foreground;
}

void draw_row_labels(Canvas* canvas, const AxisLabels& labels, int x, int y, const Theme& theme) {
  const int s = labels.stroke;
  for (const AxisLabel& label : labels.labels) {
    canvas->text(label.text, x + label.pen_x, y + label.pen_y, ink_of(label, theme));
    canvas->text(label.number, x + label.number_x, y + label.number_y, theme.muted);
    if (labels.thinned) canvas->fill({x - 5 * s, y + label.center, 4 * s, s}, theme.muted);
  }
  if (!labels.thinned) return;
  for (const int center : labels.marks)
    canvas->fill({x - 6 * s, y + center, 5 * s, 2 * s}, theme.accent);
}

void draw_col_labels(Canvas* canvas, const AxisLabels& labels, int x, int y, const Theme& theme) {
  const int s = labels.stroke;
  for (const AxisLabel& label : labels.labels) {
    canvas->text(label.text, x + label.pen_x, y + label.pen_y, ink_of(label, theme));
    canvas->text(label.number, x + label.number_x, y + label.number_y, theme.muted);
    if (labels.thinned) canvas->fill({x + label.center, y + s, s, 4 * s}, theme.muted);
  }
  if (!labels.thinned) return;
  for (const int center : labels.marks)
    canvas->fill({x + center, y + s, 2 * s, 5 * s}, theme.accent);
}

std::vector<PlacedLabel> placed(const AxisLabels& labels, int x, int y) {
  std::vector<PlacedLabel> out;
  for (const AxisLabel& label : labels.labels) {
    const Rect& box = label.box;
    out.push_back({label.token, {x + box.x, y + box.y, box.width, box.height}});
  }
  return out;
}

}  // namespace mha::render
