// Figures of a given printed width.
#include "mha/base/error.hpp"
#include "mha/render/bars.hpp"
#include "mha/render/grid.hpp"
#include "mha/render/heatmap.hpp"
#include "mha/render/overlay.hpp"
#include "mha/render/scatter.hpp"
#include "mha/render/sheet.hpp"

#include "figures.hpp"
#include "support/catch.hpp"

namespace mha::render {
namespace {

PictureStyle style_of(int width_px, double text_scale) {
  PictureStyle style;
  style.dpi = 300;
  style.width_px = width_px;
  style.text_scale = text_scale;
  style.max_size = static_cast<std::size_t>(width_px);
  return style;
}

Drawing heatmap(std::size_t n, const PictureStyle& style) {
  HeatmapFigure figure;
  figure.text = {
      "L0H3", "a caption that is rather long, and longer than a narrow figure is wide", {}};
  figure.cells = make_grid(n, n, 0.5F);
  figure.frame = make_frame(n, n);
  Typesetter type;
  return draw_heatmap(figure, style, type);
}

// The width of the cells of a drawing.
int cells_width(const Drawing& drawing) {
  for (const DrawingOp& op : drawing.ops) {
    if (const auto* cells = std::get_if<CellsOp>(&op)) {
      return cells->place.cell_width * static_cast<int>(cells->cols);
    }
  }
  return 0;
}

TEST_CASE("a figure is as wide as asked, and its cells use the room") {
  for (const int width : {800, 1004, 2000}) {
    for (const std::size_t n : {6, 12, 40}) {
      const Drawing drawing = heatmap(n, style_of(width, 1.5));
      CHECK(drawing.width == width);
      CHECK(cells_width(drawing) > width / 2 - static_cast<int>(n));
    }
  }
}

TEST_CASE("the size of text does not depend on the width") {
  const auto size = [](int width) {
    const Drawing drawing = heatmap(12, style_of(width, 2));
    double px = 0;
    for (const DrawingOp& op : drawing.ops) {
      const auto* text = std::get_if<TextOp>(&op);
      if (text != nullptr && text->text.set) px = std::max(px, text->text.set->px);
    }
    return px;
  };
  CHECK(size(1000) == Approx(46));  // the title
  CHECK(size(2000) == Approx(46));
}

TEST_CASE("text shrinks where it may, and is an error where it may not") {
  PictureStyle narrow = style_of(420, 2.1);
  CHECK(heatmap(12, narrow).width == 420);
  narrow.has_fixed_text = true;
  CHECK_THROWS_AS(heatmap(12, narrow), Error);
  CHECK_THROWS_AS(heatmap(12, style_of(40, 2.1)), Error);
}

TEST_CASE("a figure is as wide as asked whatever its colour bar says") {
  const std::vector<ColorScale> scales = {{"", ScaleKind::kLinear, 0, 1},
                                          symmetric_scale(0.5387),
                                          symmetric_scale(1e-5),
                                          {"", ScaleKind::kLinear, 0, 0.1234},
                                          {"", ScaleKind::kSqrt, 0, 1e6}};
  PictureStyle style = style_of(1004, 8 / 7.5 * 300 / 144);
  style.has_fixed_text = true;
  Typesetter type;
  for (const std::size_t rows : {3, 10}) {
    HeatmapFigure figure;
    figure.cells = make_grid(rows, 24, 0.1F);
    figure.frame = make_frame(rows, 24);
    figure.frame.value_name = "share of the layer's output";
    figure.frame.named = true;
    for (const ColorScale& colors : scales) {
      figure.colors = colors;
      CHECK(draw_heatmap(figure, style, type).width == 1004);
    }
    // One layout for heads that have a scale each.
    const HeatmapPainter painter(figure.frame, {rows, 24}, style, type, scales);
    for (const ColorScale& colors : scales) {
      CHECK(painter.paint(figure.text, figure.cells, colors).width == 1004);
    }
  }
}

TEST_CASE("a map of points uses the width that it is given") {
  ScatterFigure figure;
  for (int i = 0; i < 24; ++i) {
    figure.points.push_back({0.1 * (i % 5), 0.1 * (i / 5), "L0H" + std::to_string(i)});
  }
  figure.x_title = "first dimension";
  figure.y_title = "second dimension";
  PictureStyle style = style_of(1004, 8 / 7.5 * 300 / 144);
  style.sure_size = 500;  // says how callers pool, not how large a figure is
  Typesetter type;
  const Drawing drawing = draw_scatter(figure, style, type);
  CHECK(drawing.width == 1004);
  int widest = 0;
  for (const DrawingOp& op : drawing.ops) {
    if (const auto* frame = std::get_if<FrameOp>(&op)) widest = std::max(widest, frame->rect.width);
  }
  CHECK(widest > 700);
}

TEST_CASE("weights over a picture fit a width") {
  Typesetter type;
  for (const std::size_t n : {1, 4}) {
    OverlayFigure figure;
    figure.across = n;
    for (std::size_t i = 0; i < n; ++i) figure.panels.push_back({"L0H0", make_grid(7, 7, 0.5F)});
    for (const int width : {1004, 2000}) {
      CHECK(draw_overlay(figure, style_of(width, 2.2), type).width == width);
    }
  }
}

TEST_CASE("in a narrow figure panels over a picture stand in more rows, their names whole") {
  Typesetter type;
  OverlayFigure figure;
  figure.across = 4;
  for (int i = 0; i < 4; ++i) {
    figure.panels.push_back({"L1H2  patch 0,2 (0.25 on no patch)", make_grid(7, 7, 0.5F)});
  }
  const Drawing drawing = draw_overlay(figure, style_of(1004, 2.2), type);
  CHECK(cells_width(drawing) > 200);
  std::string all;
  for (const DrawingOp& op : drawing.ops) {
    const auto* text = std::get_if<TextOp>(&op);
    if (text == nullptr || !text->text.set) continue;
    for (const SetRun& run : text->text.set->runs) all += run.text + " ";
    CHECK(text->y - text->text.pen_y + text->text.height <= drawing.height);
  }
  CHECK(all.find("…") == std::string::npos);
}

TEST_CASE("cells of more rows than columns do not make a figure taller than a page is wide") {
  PictureStyle style = style_of(1004, 2.2);
  style.sure_size = 500;
  CHECK(12 * cell_size(12, 4, style) <= 753);
  CHECK(12 * cell_size(12, 12, style) > 753);
}

TEST_CASE("text of a sheet shrinks where its pictures would not fit") {
  SheetFigure figure;
  SheetPanel panel;
  panel.title = "Scores";
  panel.picture.cells = make_grid(4, 4, 0.5F);
  panel.picture.rows.labels = make_labels(4, "a rather long token");
  figure.rows = {{"", {panel, panel}}};
  Typesetter type;
  for (const int width : {300, 600, 1004, 2000}) {
    CHECK(draw_sheet(figure, style_of(width, 2.2), type).width == width);
  }
  PictureStyle fixed = style_of(300, 2.2);
  fixed.has_fixed_text = true;
  CHECK_THROWS_AS(draw_sheet(figure, fixed, type), Error);
}

TEST_CASE("bars and overviews fit a width too") {
  Typesetter type;
  for (const std::size_t n : {8, 100}) {
    BarsFigure bars;
    bars.keys = {"key", make_labels(n), 1, 0};
    bars.values.assign(n, 0.4F);
    CHECK(draw_bars(bars, style_of(1000, 1.5), type).width == 1000);
  }
  GridFigure grid;
  grid.row_names = {"L0"};
  grid.col_names = {"H0", "H1", "H2"};
  for (int i = 0; i < 3; ++i) {
    grid.panels.emplace_back(GridPanel{std::make_shared<CellGrid>(make_grid(9, 9, 0.5F)), "", -1});
  }
  grid.frame = make_frame(9, 9);
  CHECK(draw_grid(grid, style_of(1000, 1.5), type).width == 1000);
}

}  // namespace
}  // namespace mha::render
