#include "mha/render/overlay.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "mha/base/error.hpp"
#include "mha/render/colormap.hpp"

#include "axis_labels.hpp"
#include "cell_painter.hpp"
#include "color_bar.hpp"
#include "legend.hpp"
#include "page.hpp"

namespace mha::render {
namespace {

// How strongly the colour of a weight lies over the picture, from none to the largest.
constexpr double kFaintestColor = 0.3;
constexpr double kStrongestColor = 0.9;
constexpr double kPaler = 0.25;          // of the grey picture towards white
constexpr double kNarrowestPanel = 130;  // with its labels, where a figure has a width ...
constexpr double kBesidePanels = 130;    // ... less margins and the colour bar
constexpr double kShortestBar = 56;

// As many panels side by side as the figure asks for and its width has room for.
std::size_t panels_across(const OverlayFigure& figure, const PictureStyle& style) {
  if (style.min_width == 0 && style.text_width == 0) return figure.across;
  const double room = style.text_width / ui_scale(style) - kBesidePanels;
  const auto most = static_cast<std::size_t>(std::max(1.0, room / kNarrowestPanel));
  return std::clamp<std::size_t>(most, 1, figure.across);
}

// The mean of the pixels that fall into [begin, end) of `size` shrunk or grown pixels.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};
Span source_span(int at, int size, int source) {
  const auto begin = static_cast<std::size_t>(static_cast<std::int64_t>(at) * source / size);
  const auto end = static_cast<std::size_t>((static_cast<std::int64_t>(at) + 1) * source / size);
  return {begin, std::max(end, begin + 1)};
}

// How bright the picture is at (x, y) of an area of width x height.
double brightness(const Image& picture, const Rect& area, int x, int y) {
  const Span columns = source_span(x, area.width, picture.width);
  const Span rows = source_span(y, area.height, picture.height);
  double sum = 0;
  for (std::size_t r = rows.begin; r < rows.end; ++r) {
    for (std::size_t c = columns.begin; c < columns.end; ++c) {
      const Rgb pixel = picture.pixel(static_cast<int>(c), static_cast<int>(r));
      sum += 0.299 * pixel.r + 0.587 * pixel.g + 0.114 * pixel.b;
    }
  }
  const auto n = static_cast<double>((rows.end - rows.begin) * (columns.end - columns.begin));
  return sum / n;
}

class OverlayPicture {
 public:
  OverlayPicture(const OverlayFigure& figure, const PictureStyle& style, Typesetter& type);
  Drawing draw() const;
  int width() const { return page_->width(right_); }

 private:
  void set_sizes();
  void set_labels();
  void place();
  Page make_page() const;
  bool has_picture() const { return figure_.picture.width > 0; }
  std::size_t down() const { return (figure_.panels.size() + across_ - 1) / across_; }
  Rect panel_box(std::size_t i) const;
  Rgb patch_color(const CellGrid& cells, std::size_t i) const;
  void draw_panel(Canvas* canvas, std::size_t i, const std::vector<std::uint8_t>& grey) const;
  void draw_over(Canvas* canvas, const CellGrid& cells, const Rect& box,
                 const std::vector<std::uint8_t>& grey) const;
  void draw_mark(Canvas* canvas, const Rect& box, std::size_t patch) const;
  std::vector<std::uint8_t> grey_picture() const;  // its levels

  const OverlayFigure& figure_;
  const PictureStyle& style_;
  Typesetter& type_;
  Sizes sizes_;
  const Colormap& map_;
  ValueScale scale_;
  std::size_t across_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  int cell_width_ = 1;
  int cell_height_ = 1;
  AxisLabels row_labels_;
  AxisLabels col_labels_;
  std::vector<TextBlock> names_;
  int names_height_ = 0;
  ColorBar bar_;
  int left_ = 0;
  int top_ = 0;
  int bar_x_ = 0;
  int right_ = 0;
  int bottom_ = 0;
  std::optional<Page> page_;
};

OverlayPicture::OverlayPicture(const OverlayFigure& figure, const PictureStyle& style,
                               Typesetter& type)
    : figure_(figure),
      style_(style),
      type_(type),
      sizes_(style),
      map_(colormap_named(figure.colors.colormap, style.theme.dark)),
      scale_(figure.colors),
      across_(panels_across(figure, style)) {
  if (figure.panels.empty()) throw Error(ErrorKind::kInternal, "an overlay without panels");
  rows_ = figure.panels[0].cells.rows;
  cols_ = figure.panels[0].cells.cols;
  set_sizes();
  set_labels();
  place();
}

// The longest side of a panel follows from how many there are; the picture keeps its shape.
void OverlayPicture::set_sizes() {
  const double usual = style_.area * (figure_.panels.size() == 1 ? 640 : 380);
  const double longest = std::min<double>(sizes_.px(usual), static_cast<double>(style_.max_size));
  double aspect = static_cast<double>(cols_) / static_cast<double>(rows_);
  if (has_picture()) {
    aspect = static_cast<double>(figure_.picture.width) / figure_.picture.height;
  }
  aspect = std::clamp(aspect, 0.1, 10.0);
  const double width = longest * std::min(1.0, aspect);
  const double height = longest * std::min(1.0, 1 / aspect);
  const auto side = [](double extent, std::size_t count) {
    return std::max(1, static_cast<int>(std::lround(extent / static_cast<double>(count))));
  };
  cell_width_ = side(width, cols_);
  cell_height_ = side(height, rows_);
}

void OverlayPicture::set_labels() {
  LabelOptions options = usual_labels(style_, sizes_);
  options.px = 14 * sizes_.scale;
  options.numbered = false;
  const auto numbers = [](std::size_t count) {
    Axis axis;
    for (std::size_t i = 0; i < count; ++i) axis.labels.push_back(std::to_string(i));
    return axis;
  };
  row_labels_ = row_labels(numbers(rows_), {rows_, cell_height_}, options, type_);
  col_labels_ = col_labels(numbers(cols_), {cols_, cell_width_}, options, type_);
  const double width = static_cast<double>(cols_) * cell_width_;
  for (const OverlayPanel& panel : figure_.panels) {
    names_.push_back(set_block(panel.label, sizes_.label(), width, type_));
    names_height_ = std::max(names_height_, names_.back().height());
  }
}

void OverlayPicture::place() {
  left_ = sizes_.margin() + row_labels_.depth;
  top_ = names_height_ + sizes_.px(5);
  const Rect last = panel_box(across_ - 1);
  const int height = panel_box(figure_.panels.size() - 1).bottom() - top_;
  const int length = std::clamp(height, sizes_.px(kShortestBar), sizes_.longest_bar());
  bar_ = make_color_bar(figure_.value_name, figure_.colors, style_, length, true, type_);
  bar_x_ = last.right() + sizes_.px(28);
  right_ = bar_x_ + bar_.width;
  bottom_ = top_ + std::max(height + col_labels_.depth, bar_.height);
  page_.emplace(make_page());
  top_ += page_->body_top();
  bottom_ += page_->body_top();
}

Page OverlayPicture::make_page() const {
  CellKinds kinds;
  bool any_marked = false;
  for (const OverlayPanel& panel : figure_.panels) {
    kinds.add(panel.cells);
    any_marked = any_marked || panel.marked.has_value();
  }
  std::vector<LegendEntry> entries;
  if (any_marked) {
    entries.push_back({.color = style_.theme.accent, .hollow = true, .text = "the query's patch"});
  }
  for (LegendEntry& entry : entries_for(kinds, style_.theme)) entries.push_back(std::move(entry));
  PictureText text = figure_.text;
  if (has_picture()) {
    text.notes.emplace_back(
        "The picture is shown in grey; the larger a weight, the stronger lies its colour over it.");
  }
  return Page(text, entries, right_ - sizes_.margin(), left_ - sizes_.margin(), style_, type_);
}

Rect OverlayPicture::panel_box(std::size_t i) const {
  const int width = static_cast<int>(cols_) * cell_width_;
  const int height = static_cast<int>(rows_) * cell_height_;
  const int col_gap = row_labels_.depth + sizes_.px(22);
  const int row_gap = col_labels_.depth + names_height_ + sizes_.px(15);
  return {left_ + static_cast<int>(i % across_) * (width + col_gap),
          top_ + static_cast<int>(i / across_) * (height + row_gap), width, height};
}

Rgb OverlayPicture::patch_color(const CellGrid& cells, std::size_t i) const {
  return cell_color(cells.values[i], cells.state(i), scale_, map_, style_.theme);
}

std::vector<std::uint8_t> OverlayPicture::grey_picture() const {
  if (!has_picture()) return {};
  const Rect area{0, 0, static_cast<int>(cols_) * cell_width_,
                  static_cast<int>(rows_) * cell_height_};
  std::vector<std::uint8_t> grey;
  for (int y = 0; y < area.height; ++y) {
    for (int x = 0; x < area.width; ++x) {
      const double bright = brightness(figure_.picture, area, x, y);
      grey.push_back(static_cast<std::uint8_t>(bright + (255 - bright) * kPaler));
    }
  }
  return grey;
}

// Every pixel is a cell of its own colour.
void OverlayPicture::draw_over(Canvas* canvas, const CellGrid& cells, const Rect& box,
                               const std::vector<std::uint8_t>& grey) const {
  CellsOp pixels;
  pixels.place = {box.x, box.y};
  pixels.rows = static_cast<std::size_t>(box.height);
  pixels.cols = static_cast<std::size_t>(box.width);
  for (int y = 0; y < box.height; ++y) {
    for (int x = 0; x < box.width; ++x) {
      const std::size_t i = static_cast<std::size_t>(y / cell_height_) * cols_ +
                            static_cast<std::size_t>(x / cell_width_);
      const double value = static_cast<double>(cells.values[i]);
      const bool is_value = cells.state(i) == CellState::kValue && std::isfinite(value);
      const double strength = is_value ? scale_.position(value) : 1;
      const std::uint8_t level = grey[pixels.colors.size()];
      pixels.colors.push_back(mix({level, level, level}, patch_color(cells, i),
                                  kFaintestColor + (kStrongestColor - kFaintestColor) * strength));
    }
  }
  canvas->cells(std::move(pixels));
}

// Two lines, so that it is seen over bright and dark alike.
void OverlayPicture::draw_mark(Canvas* canvas, const Rect& box, std::size_t patch) const {
  const Rect cell{box.x + static_cast<int>(patch % cols_) * cell_width_,
                  box.y + static_cast<int>(patch / cols_) * cell_height_, cell_width_,
                  cell_height_};
  const int stroke = std::max(2, sizes_.px(2.5));
  canvas->frame(cell, stroke + sizes_.stroke(), {255, 255, 255});
  canvas->frame(cell, stroke, style_.theme.accent);
}

void OverlayPicture::draw_panel(Canvas* canvas, std::size_t i,
                                const std::vector<std::uint8_t>& grey) const {
  const OverlayPanel& panel = figure_.panels[i];
  const Rect box = panel_box(i);
  if (has_picture()) {
    draw_over(canvas, panel.cells, box, grey);
  } else {
    const int line = separator_for(std::min(cell_width_, cell_height_), sizes_);
    paint_cells(canvas, panel.cells, figure_.colors,
                {{box.x, box.y, cell_width_, cell_height_, line}}, style_);
  }
  canvas->frame(box, sizes_.stroke(), style_.theme.line);
  if (panel.marked) draw_mark(canvas, box, *panel.marked);
  draw_block(canvas, names_[i], box.x, box.y - sizes_.px(5) - names_[i].height(),
             style_.theme.foreground);
  draw_row_labels(canvas, row_labels_, box.x, box.y, style_.theme);
  draw_col_labels(canvas, col_labels_, box.x, box.bottom(), style_.theme);
}

Drawing OverlayPicture::draw() const {
  Canvas canvas(width(), page_->height(bottom_), style_);
  const std::vector<std::uint8_t> grey = grey_picture();
  for (std::size_t i = 0; i < figure_.panels.size(); ++i) draw_panel(&canvas, i, grey);
  draw_color_bar(&canvas, bar_, bar_x_, top_, style_.theme);
  page_->draw(&canvas, bottom_, style_.theme);
  return canvas.take();
}

}  // namespace

Drawing draw_overlay(const OverlayFigure& figure, const PictureStyle& style,
                     Typesetter& typesetter) {
  const PictureStyle fitted = fit_width(style, [&](const PictureStyle& tried) {
    return OverlayPicture(figure, tried, typesetter).width();
  });
  return OverlayPicture(figure, fitted, typesetter).draw();
}

}  // namespace mha::render
