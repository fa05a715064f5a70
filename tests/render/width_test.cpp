// Figures of a given printed width.
#include "mha/base/error.hpp"
#include "mha/render/bars.hpp"
#include "mha/render/grid.hpp"
#include "mha/render/heatmap.hpp"

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
