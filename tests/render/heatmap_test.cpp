#include "mha/render/heatmap.hpp"

#include <cmath>
#include <limits>

#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"

#include "figures.hpp"
#include "support/catch.hpp"

using namespace mha::render;

namespace {

struct DrawnHeatmap {
  Image image;
  HeatmapLayout layout;
};

DrawnHeatmap draw(const CellGrid& cells, const ColorScale& colors, const PictureStyle& style = {}) {
  Typesetter type;
  const HeatmapPainter painter(make_frame(cells.rows, cells.cols), {cells.rows, cells.cols}, style,
                               type);
  const PictureText text{"L0H0", "caption", {}};
  return {rasterize(painter.paint(text, cells, colors)), painter.layout(text, cells, colors)};
}

Rgb cell(const DrawnHeatmap& drawn, const CellGrid& cells, std::size_t row, std::size_t col) {
  return cell_pixel(drawn.image, drawn.layout.cells, row, col, cells.rows, cells.cols);
}

}  // namespace

TEST_CASE("a cell has the colour that the map gives its value") {
  CellGrid cells = make_grid(4, 4, 0);
  cells.values[4 * 1 + 2] = 1.0F;  // row 1 from the top, column 2
  cells.values[4 * 3 + 0] = 0.5F;
  const DrawnHeatmap drawn = draw(cells, {"viridis"});
  const Colormap& map = colormap_named("viridis", false);
  CHECK(drawn.image.width == drawn.layout.width);
  CHECK(drawn.image.height == drawn.layout.height);
  CHECK(cell(drawn, cells, 0, 0) == map[0]);
  CHECK(cell(drawn, cells, 1, 2) == map[255]);
  CHECK(cell(drawn, cells, 2, 1) == map[0]);
  CHECK(cell(drawn, cells, 3, 0) == map[128]);
}

TEST_CASE("one-pixel cells are exactly one pixel") {
  CellGrid cells = make_grid(600, 600, 0);
  cells.values[600 * 17 + 321] = 1.0F;
  const DrawnHeatmap drawn = draw(cells, {"magma"});
  CHECK(drawn.layout.cells.width == 600);
  const Colormap& map = colormap_named("magma", false);
  const Rect& area = drawn.layout.cells;
  CHECK(drawn.image.pixel(area.x + 321, area.y + 17) == map[255]);
  CHECK(count_pixels(drawn.image, area, map[255]) == 1);
}

TEST_CASE("the four scales colour the same value differently") {
  CellGrid cells = make_grid(2, 4, 0.04F);
  cells.values = {0.04F, 0.08F, 0.0F, 0.0F, 0.04F, 0.16F, 0.0F, 0.0F};
  const Colormap& map = colormap_named("greys", false);
  const auto shown = [&](ScaleKind kind, std::size_t row) {
    return cell(draw(cells, {"greys", kind}), cells, row, 0);
  };
  CHECK(shown(ScaleKind::kLinear, 0) == map[10]);
  CHECK(shown(ScaleKind::kSqrt, 0) == map[51]);
  CHECK(shown(ScaleKind::kLog, 0) == map[166]);
  CHECK(shown(ScaleKind::kRow, 0) == map[128]);
  CHECK(shown(ScaleKind::kRow, 1) == map[64]);
}

TEST_CASE("masked cells are grey, fully masked rows hatched, NaN and missing apart") {
  CellGrid cells = make_grid(6, 6, 0.3F);
  cells.states[6 * 0 + 5] = CellState::kMasked;
  for (std::size_t j = 0; j < 6; ++j) cells.states[6 * 2 + j] = CellState::kFullyMasked;
  cells.values[6 * 3 + 1] = std::numeric_limits<float>::quiet_NaN();
  cells.values[6 * 3 + 2] = std::numeric_limits<float>::infinity();
  cells.states[6 * 4 + 4] = CellState::kMissing;
  const DrawnHeatmap drawn = draw(cells, {});
  const Theme& theme = light_theme();
  CHECK(cell(drawn, cells, 0, 5) == theme.masked);
  CHECK(cell(drawn, cells, 3, 1) == theme.non_finite);
  CHECK(cell(drawn, cells, 3, 2) == theme.non_finite);
  CHECK(cell(drawn, cells, 4, 4) == theme.missing);
  Rect row = drawn.layout.cells;
  row.height /= 6;
  const Rect masked_cell{row.x + 5 * row.width / 6 + 2, row.y + 2, row.width / 6 - 6,
                         row.height - 6};
  CHECK(count_pixels(drawn.image, masked_cell, theme.hatch) == 0);
  row.y += 2 * row.height;
  const auto area = static_cast<std::size_t>(row.width * row.height);
  CHECK(count_pixels(drawn.image, row, theme.hatch) > area / 8);
  CHECK(count_pixels(drawn.image, row, theme.masked) > area / 3);
  CHECK(drawn.layout.legend.size() == 4);
}

TEST_CASE("the legend names only what is there") {
  CellGrid cells = make_grid(3, 3, 0.3F);
  CHECK(draw(cells, {}).layout.legend.empty());
  cells.states.clear();
  CHECK(draw(cells, {}).layout.legend.empty());
  cells.values[4] = std::nanf("");
  CHECK(draw(cells, {}).layout.legend.size() == 1);
}

TEST_CASE("large cells carry numbers, and none where the value says nothing") {
  CellGrid cells = make_grid(5, 5, 0.0F);
  cells.values[6] = 0.93F;
  cells.values[8] = 0.09F;
  cells.values[12] = 0.1F;
  const DrawnHeatmap drawn = draw(cells, {});
  const auto colors_in = [&](std::size_t row, std::size_t col) {
    const int side = drawn.layout.cells.width / 5;
    const Rect inside{drawn.layout.cells.x + static_cast<int>(col) * side + 4,
                      drawn.layout.cells.y + static_cast<int>(row) * side + 4, side - 8, side - 8};
    const Rgb fill = cell(drawn, cells, row, col);
    return static_cast<std::size_t>(inside.width * inside.height) -
           count_pixels(drawn.image, inside, fill);
  };
  CHECK(colors_in(1, 1) > 50);  // ".93"
  CHECK(colors_in(0, 0) == 0);  // 0
  CHECK(colors_in(1, 3) == 0);  // below a tenth of the largest
  CHECK(colors_in(2, 2) > 50);  // ".10"
  cells = make_grid(5, 5, 0.0F);
  cells.values[8] = 0.004F;  // the largest, and still nothing that two digits could show
  CHECK(count_pixels(draw(cells, {}).image, draw(cells, {}).layout.cells, rgb(0x000000)) == 0);
}

TEST_CASE("numbers contrast with their cell") {
  for (float value : {0.02F, 0.3F, 0.5F, 0.7F, 1.0F}) {
    for (const std::string& name : colormap_names()) {
      CAPTURE(value, name);
      const CellGrid cells = make_grid(2, 2, value);
      const DrawnHeatmap drawn = draw(cells, {name});
      const double fill = luminance(cell(drawn, cells, 0, 0));
      double best = 1;
      const Rect& area = drawn.layout.cells;
      for (int y = area.y + 20; y < area.y + 64; ++y) {
        for (int x = area.x + 20; x < area.x + 64; ++x) {
          const double ink = luminance(drawn.image.pixel(x, y));
          best = std::max(best, (std::max(ink, fill) + 0.05) / (std::min(ink, fill) + 0.05));
        }
      }
      CHECK(best >= 4.5);
    }
  }
}

TEST_CASE("few cells are kept apart by thin lines, many are not") {
  const Rgb fill = colormap_named("viridis", false)[255];
  const CellGrid few = make_grid(8, 8, 1.0F);
  const DrawnHeatmap drawn = draw(few, {"viridis"});
  const Rect& area = drawn.layout.cells;
  const int side = area.width / 8;
  CHECK(drawn.image.pixel(area.x + side - 1, area.y + 3) != fill);
  const CellGrid many = make_grid(100, 100, 1.0F);
  const DrawnHeatmap large = draw(many, {"viridis"});
  CHECK(count_pixels(large.image, large.layout.cells, fill) ==
        static_cast<std::size_t>(large.layout.cells.width * large.layout.cells.height));
}

TEST_CASE("a constant matrix, one cell, one row and one column draw") {
  const std::vector<std::pair<std::size_t, std::size_t>> shapes = {{1, 1},  {1, 4000}, {4000, 1},
                                                                   {1, 40}, {40, 1},   {6, 6}};
  for (const auto& [rows, cols] : shapes) {
    for (double bound : {0.0, 0.25, -1.0}) {
      CAPTURE(rows, cols, bound);
      const CellGrid cells = make_grid(rows, cols, static_cast<float>(bound));
      const DrawnHeatmap drawn = draw(
          cells, {.colormap = "blues", .kind = ScaleKind::kLinear, .low = bound, .high = bound});
      CHECK(drawn.layout.cells.width >= 40);
      CHECK(drawn.layout.cells.height >= 40);
      const Colormap& map = colormap_named("blues", false);
      CHECK(cell(drawn, cells, 0, 0) == (bound > 0 ? map[255] : map[0]));
    }
  }
}

TEST_CASE("cells of another size than the painter's are an internal error") {
  Typesetter type;
  const HeatmapPainter painter(make_frame(3, 3), {3, 3}, {}, type);
  CHECK_THROWS_AS(painter.paint({}, make_grid(3, 4, 0), {}), mha::Error);
  CellGrid wrong_states = make_grid(3, 3, 0);
  wrong_states.states.pop_back();
  CHECK_THROWS_AS(painter.paint({}, wrong_states, {}), mha::Error);
  CHECK_THROWS_AS(HeatmapPainter(make_frame(0, 3), {0, 3}, {}, type), mha::Error);
}

TEST_CASE("the same head gives the same pixels, on any thread and after other heads") {
  Typesetter type;
  const HeatmapPainter painter(make_frame(12, 12), {12, 12}, {}, type);
  std::vector<CellGrid> heads;
  for (int h = 0; h < 8; ++h) heads.push_back(make_grid(12, 12, 0.1F * static_cast<float>(h)));
  const auto paint = [&](std::size_t h) {
    return rasterize(painter.paint({"L0H" + std::to_string(h), "caption", {}}, heads[h], {}));
  };
  std::vector<Image> parallel(heads.size());
  mha::parallel_for(heads.size(), 4, [&](std::size_t h, std::size_t) { parallel[h] = paint(h); });
  for (std::size_t h = 0; h < heads.size(); ++h) {
    Typesetter fresh;
    const HeatmapPainter alone(make_frame(12, 12), {12, 12}, {}, fresh);
    const Image again =
        rasterize(alone.paint({"L0H" + std::to_string(h), "caption", {}}, heads[h], {}));
    CHECK(parallel[h].rgb == again.rgb);
  }
}

TEST_CASE("a dark theme has a dark background and light text") {
  PictureStyle style;
  style.theme = dark_theme();
  const DrawnHeatmap drawn = draw(make_grid(6, 6, 0.2F), {}, style);
  CHECK(drawn.image.pixel(0, 0) == dark_theme().background);
  double brightest = 0;
  for (int x = drawn.layout.title.x; x < drawn.layout.title.right(); ++x) {
    const int middle = drawn.layout.title.y + drawn.layout.title.height / 2;
    brightest = std::max(brightest, luminance(drawn.image.pixel(x, middle)));
  }
  CHECK(brightest > 0.7);
}

TEST_CASE("the picture has no wasted border") {
  const DrawnHeatmap drawn = draw(make_grid(12, 12, 0.2F), {});
  int left = drawn.image.width, right = 0, top = drawn.image.height, bottom = 0;
  for (int y = 0; y < drawn.image.height; ++y) {
    for (int x = 0; x < drawn.image.width; ++x) {
      if (drawn.image.pixel(x, y) == light_theme().background) continue;
      left = std::min(left, x), right = std::max(right, x);
      top = std::min(top, y), bottom = std::max(bottom, y);
    }
  }
  CHECK(left >= 16);
  CHECK(left <= 30);
  CHECK(drawn.image.width - right <= 30);
  CHECK(top <= 30);
  CHECK(drawn.image.height - bottom <= 32);
}

TEST_CASE("300 dots per inch draw the same figure about twice as large") {
  const CellGrid cells = make_grid(6, 6, 0.2F);
  PictureStyle fine;
  fine.dpi = 300;
  const Image normal = draw(cells, {}).image;
  const Image large = draw(cells, {}, fine).image;
  CHECK(large.width == Approx(normal.width * 300.0 / 144).epsilon(0.03));
  CHECK(large.height == Approx(normal.height * 300.0 / 144).epsilon(0.03));
}
