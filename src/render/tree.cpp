#include "tree.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha::render {
namespace {

constexpr double kDensePitch = 3;     // px; leaves that are closer are drawn in a quieter ink
constexpr double kBeyondRoot = 1.06;  // length of the axis over the largest distance
constexpr double kWidestTitle = 1.5;  // of a title in the middle, in widths of the tree

double longest_distance(const TreeMatrixFigure& figure) {
  double longest = std::isfinite(figure.cut) ? figure.cut : 0;
  for (const TreeMerge& merge : figure.merges) {
    if (std::isfinite(merge.distance)) longest = std::max(longest, merge.distance);
  }
  return longest > 0 ? kBeyondRoot * longest : 1;
}

}  // namespace

Tree::Tree(const TreeMatrixFigure& figure, Rect box, int room, const Sizes& sizes, Typesetter& type)
    : sizes_(sizes), box_(box), longest_(longest_distance(figure)) {
  set_marks(type);
  const double most = std::max(kWidestTitle * box_.width, static_cast<double>(room));
  title_ = set_block(figure.value_name, sizes_.axis_title(0), most, type);
  above_ =
      sizes_.px(title_.lines.empty() ? 24 : 44) + std::max(0, title_.height() - title_.line_height);
  join(figure);
  is_dense_ = box_.height < kDensePitch * sizes_.scale * static_cast<double>(figure.names.size());
  if (std::isfinite(figure.cut)) cut_ = x_of(figure.cut);
}

int Tree::x_of(double distance) const {
  const double part = std::isfinite(distance) ? std::clamp(distance / longest_, 0.0, 1.0) : 1;
  return static_cast<int>(std::lround((1 - part) * (box_.width - 1)));
}

// As many round numbers as fit side by side.
void Tree::set_marks(Typesetter& type) {
  const ColorScale axis{.colormap = {}, .low = 0, .high = longest_};
  for (std::size_t most = 5; most >= 2; --most) {
    marks_.clear();
    int widest = 0;
    int nearest = box_.width;
    for (const Tick& tick : round_ticks(axis, most)) {
      const int offset = x_of(tick.position * longest_);
      if (!marks_.empty()) nearest = std::min(nearest, marks_.back().offset - offset);
      marks_.push_back({offset, type.set(tick.text, sizes_.tick())});
      widest = std::max(widest, advance_px(marks_.back().text));
    }
    if (widest + sizes_.gap() <= nearest) return;
  }
}

void Tree::join(const TreeMatrixFigure& figure) {
  struct Branch {
    double y;
    int x;
    bool taken = false;
  };
  const std::size_t n = figure.names.size();
  std::vector<Branch> branches;
  for (std::size_t i = 0; i < n; ++i) {
    const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    branches.push_back({part * box_.height, box_.width});
  }
  for (const TreeMerge& merge : figure.merges) {
    const std::size_t known = branches.size();
    if (merge.a >= known || merge.b >= known || merge.a == merge.b || branches[merge.a].taken ||
        branches[merge.b].taken) {
      throw Error(ErrorKind::kInternal,
                  concat("tree merge ", known - n, ": branches ", merge.a, " and ", merge.b));
    }
    branches[merge.a].taken = branches[merge.b].taken = true;
    const bool in_order = branches[merge.a].y <= branches[merge.b].y;
    const Branch& top = branches[in_order ? merge.a : merge.b];
    const Branch& bottom = branches[in_order ? merge.b : merge.a];
    const int x = x_of(merge.distance);
    forks_.push_back({x, static_cast<int>(top.y), top.x, static_cast<int>(bottom.y), bottom.x});
    branches.push_back({(top.y + bottom.y) / 2, x});
  }
}

int Tree::overhang_left() const {
  const Rect title = title_box(0, 0);
  int over = std::max(0, -title.x);
  for (const Rect& box : tick_boxes(0, 0)) over = std::max(over, -box.x);
  return over;
}

int Tree::overhang_right() const {
  const Rect title = title_box(0, 0);
  int over = std::max(0, title.right() - box_.width);
  for (const Rect& box : tick_boxes(0, 0)) over = std::max(over, box.right() - box_.width);
  return over;
}

std::vector<Rect> Tree::tick_boxes(int x, int y) const {
  std::vector<Rect> boxes;
  for (const Mark& mark : marks_) {
    const int pen = x + mark.offset - advance_px(mark.text) / 2;
    boxes.push_back(text_box(mark.text, pen, y - sizes_.px(8)));
  }
  return boxes;
}

Rect Tree::title_box(int x, int y) const {
  const bool is_wide = title_.lines.size() > 1 || title_.width > kWidestTitle * box_.width;
  const int left = is_wide ? x : x + (box_.width - title_.width) / 2;
  const int baseline = y - sizes_.px(29);  // of the last line
  return block_box(title_, left, baseline - title_.height() + title_.line_height - title_.ascent);
}

void Tree::draw(Canvas* canvas, int x, int y, const Theme& theme) const {
  const int stroke = sizes_.stroke();
  const std::vector<Rect> boxes = tick_boxes(x, y);
  const Rgb faint = mix(theme.background, theme.line, 0.7);
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    const int up = sizes_.px(4);
    canvas->fill({x + marks_[i].offset, y - up, stroke, box_.height + up}, faint);
    const TextBitmap& text = marks_[i].text;
    canvas->text(text, boxes[i].x + text.pen_x, boxes[i].y + text.pen_y, theme.muted);
  }
  const Rect title = title_box(x, y);
  draw_block(canvas, title_, title.x, title.y, theme.muted);
  const Rgb ink = is_dense_ ? theme.muted : theme.foreground;
  for (const Fork& fork : forks_) {
    canvas->fill({x + fork.x, y + fork.top, stroke, fork.bottom - fork.top + stroke}, ink);
    canvas->fill({x + fork.x, y + fork.top, fork.top_end - fork.x, stroke}, ink);
    canvas->fill({x + fork.x, y + fork.bottom, fork.bottom_end - fork.x, stroke}, ink);
  }
  if (!cut_) return;
  const int dash = sizes_.px(5);
  for (int from = 0; from < box_.height; from += 2 * dash) {
    const int length = std::min(dash, box_.height - from);
    canvas->fill({x + *cut_, y + from, std::max(2, sizes_.px(1.5)), length}, theme.accent);
  }
}

}  // namespace mha::render
