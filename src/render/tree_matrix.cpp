#include "mha/render/tree_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "axis_labels.hpp"
#include "cell_painter.hpp"
#include "color_bar.hpp"
#include "page.hpp"
#include "tree.hpp"

namespace mha::render {
namespace {

constexpr double kTreeWidth = 190;
constexpr double kShortestBar = 170;
constexpr double kGroupsWidth = 11;

// The mean of k x k cells, of those that have a value; a NaN among them stays.
CellGrid mean_cells(const CellGrid& cells, std::size_t k) {
  CellGrid out{ceil_div(cells.rows, k), ceil_div(cells.cols, k), {}, {}};
  const std::size_t n = out.rows * out.cols;
  std::vector<double> sums(n);
  std::vector<std::size_t> counts(n);
  out.states.assign(n, CellState::kValue);
  for (std::size_t r = 0; r < cells.rows; ++r) {
    for (std::size_t c = 0; c < cells.cols; ++c) {
      const std::size_t from = r * cells.cols + c;
      const std::size_t to = r / k * out.cols + c / k;
      if (cells.state(from) == CellState::kValue) {
        sums[to] += cells.values[from];
        ++counts[to];
      } else {
        out.states[to] = cells.state(from);
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (counts[i] > 0) out.states[i] = CellState::kValue;
    const double count = static_cast<double>(std::max<std::size_t>(counts[i], 1));
    out.values.push_back(static_cast<float>(sums[i] / count));
  }
  return out;
}

// Row labels on the right of the cells instead: pens and boxes are relative to the top right
// corner.
AxisLabels on_the_right(AxisLabels labels, int gap) {
  labels.depth = 0;
  for (AxisLabel& label : labels.labels) {
    label.pen_x = gap;
    label.box = text_box(label.text, label.pen_x, label.pen_y);
    labels.depth = std::max(labels.depth, label.box.right());
  }
  return labels;
}

void check(const TreeMatrixFigure& figure) {
  const std::size_t n = figure.names.size();
  const CellGrid& cells = figure.cells;
  const bool fits = n > 0 && cells.rows == n && cells.cols == n && cells.values.size() == n * n &&
                    (cells.states.empty() || cells.states.size() == n * n) &&
                    (figure.groups.empty() || figure.groups.size() == n);
  if (fits) return;
  throw Error(ErrorKind::kInternal,
              concat("matrix of ", n, " names: got ", cells.rows, "x", cells.cols, " cells, ",
                     figure.groups.size(), " groups"));
}

// Everything set and measured, before anything is drawn.
class TreeMatrix {
 public:
  TreeMatrix(const TreeMatrixFigure& figure, const PictureStyle& style, Typesetter& type);

  Drawing draw() const;
  TreeMatrixLayout layout() const;

 private:
  const CellGrid& cells() const { return pool_ > 1 ? pooled_ : figure_.cells; }
  void set_labels(Typesetter& type);
  void measure();
  Page make_page(Typesetter& type) const;
  Rect groups_box() const;
  void draw_groups(Canvas* canvas) const;
  void draw_labels(Canvas* canvas) const;

  const TreeMatrixFigure& figure_;
  const PictureStyle& style_;
  Sizes sizes_;
  std::size_t pool_;
  CellGrid pooled_;
  int cell_ = 1;
  AxisLabels rows_;
  AxisLabels cols_;
  ColorBar bar_;
  std::optional<Tree> tree_;
  std::optional<Page> page_;
  Rect area_;  // of the cells
  int tree_x_ = 0;
  int tree_width_ = 0;
  int bar_x_ = 0;
  int bar_y_ = 0;
  int right_ = 0;
  int bottom_ = 0;
};

TreeMatrix::TreeMatrix(const TreeMatrixFigure& figure, const PictureStyle& style, Typesetter& type)
    : figure_(figure), style_(style), sizes_(style) {
  check(figure);
  pool_ = pool_factor(figure.names.size(), style);
  if (pool_ > 1) pooled_ = mean_cells(figure.cells, pool_);
  const std::size_t n = cells().rows;
  const std::size_t usual = cell_size(n, n, style);
  cell_ = static_cast<int>(pool_ > 1 ? usual : named_cell_size(n, usual, style));
  area_.width = area_.height = static_cast<int>(n) * cell_;
  set_labels(type);
  const int length = std::clamp(area_.height, sizes_.px(kShortestBar), sizes_.longest_bar());
  bar_ = make_color_bar(figure.value_name, figure.colors, style, length, true, type);
  // The last cell may stand for fewer items than the others; the tree ends with the last item.
  const double shown = static_cast<double>(figure.names.size()) / static_cast<double>(pool_);
  tree_width_ = sizes_.px(kTreeWidth * std::clamp(style.area, 0.4, 1.0));
  const Rect box{0, 0, tree_width_, static_cast<int>(std::lround(shown * cell_))};
  const int room = tree_width_ + area_.width;
  if (!figure.merges.empty()) tree_.emplace(figure, box, room, sizes_, type);
  measure();
  page_.emplace(make_page(type));
  const int top = page_->body_top();
  area_.y += top;
  bar_y_ += top;
  bottom_ += top;
}

void TreeMatrix::set_labels(Typesetter& type) {
  LabelOptions options = usual_labels(style_, sizes_);
  options.numbered = false;
  const Axis axis{"", figure_.names, pool_, 0};
  const CellRun run{cells().rows, cell_};
  rows_ = on_the_right(row_labels(axis, run, options, type), options.gap);
  cols_ = col_labels(axis, run, options, type);
}

// Places everything below an imagined body top of 0.
void TreeMatrix::measure() {
  tree_x_ = sizes_.margin() + (tree_ ? tree_->overhang_left() : 0);
  int x = tree_x_;
  if (tree_) x += tree_width_ + sizes_.px(4);
  if (!figure_.groups.empty()) x += sizes_.px(kGroupsWidth) + sizes_.px(4);
  area_.x = std::max(x, sizes_.margin() + cols_.overhang_before) + sizes_.stroke();
  area_.y = std::max({tree_ ? tree_->above() : 0, rows_.overhang_before, sizes_.stroke()});
  tree_x_ += area_.x - sizes_.stroke() - x;
  bar_x_ = area_.right() + std::max(rows_.depth, cols_.overhang_after) + sizes_.px(20);
  bar_y_ = area_.y - bar_.lead;
  const int above = std::min(0, bar_y_);  // a long title of a short bar
  area_.y -= above;
  bar_y_ -= above;
  right_ = bar_x_ + bar_.width;
  bottom_ = std::max(
      {area_.bottom() + cols_.depth, area_.bottom() + rows_.overhang_after, bar_y_ + bar_.height});
}

Page TreeMatrix::make_page(Typesetter& type) const {
  PictureText text = figure_.text;
  if (pool_ > 1) {
    text.notes.push_back(concat("Each cell shows the mean of ", pool_, " × ", pool_, " pairs."));
  }
  CellKinds kinds;
  kinds.add(cells());
  std::vector<LegendEntry> entries;
  if (tree_ && tree_->cut()) {
    std::ostringstream name;
    name << "cut at " << std::setprecision(3) << figure_.cut;
    entries.push_back({.color = style_.theme.accent, .dashed = true, .text = name.str()});
  }
  for (LegendEntry& entry : entries_for(kinds, style_.theme)) entries.push_back(std::move(entry));
  return Page(text, entries, right_ - sizes_.margin(), tree_x_ - sizes_.margin(), style_, type);
}

Rect TreeMatrix::groups_box() const {
  if (figure_.groups.empty()) return {};
  const int width = sizes_.px(kGroupsWidth);
  return {area_.x - sizes_.stroke() - sizes_.px(4) - width, area_.y, width, area_.height};
}

void TreeMatrix::draw_groups(Canvas* canvas) const {
  const Rect box = groups_box();
  const double pitch = static_cast<double>(cell_) / static_cast<double>(pool_);
  for (std::size_t i = 0; i < figure_.groups.size(); ++i) {
    if (figure_.groups[i] < 0) continue;
    const int from = static_cast<int>(std::lround(static_cast<double>(i) * pitch));
    const int to = static_cast<int>(std::lround(static_cast<double>(i + 1) * pitch));
    canvas->fill({box.x, box.y + from, box.width, std::max(1, to - from)},
                 kind_color(static_cast<std::size_t>(figure_.groups[i])));
  }
}

void TreeMatrix::draw_labels(Canvas* canvas) const {
  const Theme& theme = style_.theme;
  draw_col_labels(canvas, cols_, area_.x, area_.bottom(), theme);
  for (const AxisLabel& label : rows_.labels) {
    canvas->text(label.text, area_.right() + label.pen_x, area_.y + label.pen_y, theme.foreground);
    if (rows_.thinned) {
      const int s = rows_.stroke;
      canvas->fill({area_.right() + s, area_.y + label.center, 4 * s, s}, theme.muted);
    }
  }
}

Drawing TreeMatrix::draw() const {
  const Theme& theme = style_.theme;
  Canvas canvas(page_->width(right_), page_->height(bottom_), style_);
  const CellPlace place{area_.x, area_.y, cell_, cell_, separator_for(cell_, sizes_)};
  paint_cells(&canvas, cells(), figure_.colors, {place}, style_);
  canvas.frame(place.area(cells().rows, cells().cols), std::max(sizes_.stroke(), place.separator),
               theme.line);
  if (tree_) tree_->draw(&canvas, tree_x_, area_.y, theme);
  draw_groups(&canvas);
  draw_labels(&canvas);
  draw_color_bar(&canvas, bar_, bar_x_, bar_y_, theme);
  page_->draw(&canvas, bottom_, theme);
  return canvas.take();
}

TreeMatrixLayout TreeMatrix::layout() const {
  TreeMatrixLayout out;
  const PageBoxes around = page_->boxes(bottom_);
  out.width = page_->width(right_);
  out.height = page_->height(bottom_);
  out.title = around.title;
  out.caption = around.caption;
  out.legend = around.legend;
  out.notes = around.notes;
  if (tree_) {
    out.tree = {tree_x_, area_.y, tree_width_, area_.height};
    out.tree_title = tree_->title_box(tree_x_, area_.y);
    out.tree_ticks = tree_->tick_boxes(tree_x_, area_.y);
    for (const Tree::Fork& fork : tree_->forks()) out.merges.push_back(tree_x_ + fork.x);
    if (tree_->cut()) out.cut = tree_x_ + *tree_->cut();
  }
  out.groups = groups_box();
  out.cells = area_;
  out.row_labels = placed(rows_, area_.right(), area_.y);
  out.col_labels = placed(cols_, area_.x, area_.bottom());
  out.col_angle = cols_.angle;
  const ColorBarBoxes bar = color_bar_boxes(bar_, bar_x_, bar_y_);
  out.color_bar = bar.colors;
  out.bar_title = bar.title;
  out.ticks = bar.marks;
  return out;
}

}  // namespace

Drawing draw_tree_matrix(const TreeMatrixFigure& figure, const PictureStyle& style,
                         Typesetter& typesetter) {
  const PictureStyle fitted = fit_width(style, [&](const PictureStyle& tried) {
    return TreeMatrix(figure, tried, typesetter).layout().width;
  });
  return TreeMatrix(figure, fitted, typesetter).draw();
}

TreeMatrixLayout layout_tree_matrix(const TreeMatrixFigure& figure, const PictureStyle& style,
                                    Typesetter& typesetter) {
  return TreeMatrix(figure, style, typesetter).layout();
}

}  // namespace mha::render
