// Pictures of differences and of named things: diverging colours, marked labels, cells that are not
// square.
#include <cmath>
#include <limits>

#include "mha/render/grid.hpp"
#include "mha/render/heatmap.hpp"

#include "figures.hpp"
#include "render/cell_painter.hpp"
#include "support/catch.hpp"

using namespace mha::render;

namespace {

struct DrawnGrid {
  Image image;
  HeatmapLayout layout;
};

DrawnGrid draw(const HeatmapFigure& figure, const PictureStyle& style = {}) {
  Typesetter type;
  const HeatmapPainter painter(figure.frame, {figure.cells.rows, figure.cells.cols}, style, type);
  return {rasterize(painter.paint(figure.text, figure.cells, figure.colors)),
          painter.layout(figure.text, figure.cells, figure.colors)};
}

HeatmapFigure make_difference(std::size_t rows, std::size_t cols) {
  return {{"L0H0", "second minus first", {}},
          make_grid(rows, cols, 0),
          symmetric_scale(0.5),
          make_frame(rows, cols)};
}

// L* of CIE 1976.
double lightness(Rgb color) {
  return 116 * std::cbrt(luminance(color)) - 16;
}

}  // namespace

TEST_CASE("a diverging map has the same two colours in its middle, near the paper") {
  for (const Theme& theme : {light_theme(), dark_theme()}) {
    const Colormap& map = colormap_named("diverging", theme.dark);
    CHECK(map[127] == map[128]);
    CHECK(std::fabs(luminance(map[128]) - luminance(theme.background)) < 0.1);
    CHECK(map[0].b > map[0].r + 40);
    CHECK(map[255].r > map[255].b + 40);
  }
}

TEST_CASE("both sides of a diverging map are equally strong and change evenly") {
  for (const bool dark : {false, true}) {
    const Colormap& map = colormap_named("diverging", dark);
    const double direction = dark ? 1 : -1;
    for (std::size_t i = 0; i < 128; ++i) {
      CHECK(std::fabs(lightness(map[127 - i]) - lightness(map[128 + i])) < 2.5);
    }
    for (std::size_t i = 136; i < 256; i += 8) {
      const double step = direction * (lightness(map[i]) - lightness(map[i - 8]));
      CHECK(step > 2.5);
      CHECK(step < 6.5);
    }
  }
}

TEST_CASE("masked, missing and non-finite colours are not in the diverging maps") {
  for (const Theme& theme : {light_theme(), dark_theme()}) {
    for (const Rgb& c : colormap_named("diverging", theme.dark)) {
      const auto distance = [&](Rgb o) {
        return std::abs(c.r - o.r) + std::abs(c.g - o.g) + std::abs(c.b - o.b);
      };
      CHECK(distance(theme.non_finite) > 60);
      CHECK(distance(theme.missing) > 20);
      CHECK(distance(theme.masked) > 20);
    }
  }
}

TEST_CASE("a difference of zero has exactly the middle colour") {
  for (const double largest : {0.5, 0.037, 12.0}) {
    HeatmapFigure figure = make_difference(6, 6);
    figure.colors = symmetric_scale(largest);
    figure.cells.values[1] = static_cast<float>(largest);
    figure.cells.values[2] = static_cast<float>(-largest);
    figure.cells.values[3] = std::nanf("");
    figure.cells.states[4] = CellState::kMasked;
    const DrawnGrid drawn = draw(figure);
    const Colormap& map = colormap_named("diverging", false);
    const auto cell = [&](std::size_t col) {
      return cell_pixel(drawn.image, drawn.layout.cells, 0, col, 6, 6);
    };
    CHECK(cell(0) == map[128]);
    CHECK(cell(1) == map[255]);
    CHECK(cell(2) == map[0]);
    CHECK(cell(3) == light_theme().non_finite);
    CHECK(cell(4) == light_theme().masked);
  }
}

TEST_CASE("a symmetric scale without any difference still shows zero in the middle") {
  for (const double largest : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const ColorScale colors = symmetric_scale(largest);
    CHECK(colors.low == -1);
    CHECK(colors.high == 1);
    CHECK(ValueScale(colors).position(0) == 0.5);
  }
}

TEST_CASE("ticks of differences are symmetric and carry signs") {
  const auto texts = [](double largest, std::size_t most) {
    std::string out;
    for (const Tick& tick : round_ticks(symmetric_scale(largest), most)) out += tick.text + " ";
    return out;
  };
  CHECK(texts(0.3, 6) == "\u22120.3 \u22120.2 \u22120.1 0 +0.1 +0.2 +0.3 ");
  CHECK(texts(1, 4) == "\u22121 \u22120.5 0 +0.5 +1 ");
  CHECK(texts(0.037, 4) == "\u22120.02 0 +0.02 ");
  const std::vector<Tick> ticks = round_ticks(symmetric_scale(0.8), 6);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    CHECK(ticks[i].position + ticks[ticks.size() - 1 - i].position == Approx(1));
  }
}

TEST_CASE("numbers in cells of differences have their sign, or none are there") {
  CHECK(cell_number(-0.12F) == "-.12");
  CHECK(cell_number(0.12F) == ".12");
  CHECK(cell_number(-1.5F) == "-1.5");
  CHECK(cell_number(1.0F) == "1.0");
  CHECK(cell_number(0.9951F) == "1.0");
  CHECK(cell_number(-1.0F) == "-1.0");
  CHECK(cell_number(3.0F) == "3.0");
  CHECK(cell_number(9.96F) == "10");
  HeatmapFigure figure = make_difference(2, 2);
  figure.cells.values = {0.4F, -0.4F, 0.4F, -0.4F};
  PictureStyle style;
  const auto ink = [&](std::size_t cell_px, std::size_t col) {
    style.cell_px = cell_px;
    const DrawnGrid drawn = draw(figure, style);
    const int side = static_cast<int>(cell_px);
    const Rect inside{drawn.layout.cells.x + static_cast<int>(col) * side + 2,
                      drawn.layout.cells.y + 2, side - 5, side - 5};
    const Rgb fill = cell_pixel(drawn.image, drawn.layout.cells, 0, col, 2, 2);
    return static_cast<std::size_t>(inside.width * inside.height) -
           count_pixels(drawn.image, inside, fill);
  };
  CHECK(ink(60, 0) > 40);
  CHECK(ink(60, 1) > 40);
  for (const std::size_t narrow : {26, 28, 30}) {
    CAPTURE(narrow);
    CHECK((ink(narrow, 0) > 0) == (ink(narrow, 1) > 0));
  }
}

TEST_CASE("marked labels stand out by colour, the others stay as they are") {
  for (const Theme& theme : {light_theme(), dark_theme()}) {
    HeatmapFigure figure = make_difference(12, 12);
    PictureStyle style;
    style.theme = theme;
    figure.frame.rows.marked = {3};
    figure.frame.cols.marked = {5, 6};
    const DrawnGrid drawn = draw(figure, style);
    const auto accents = [&](const std::vector<PlacedLabel>& labels, std::size_t i) {
      return count_pixels(drawn.image, labels[i].box, theme.accent);
    };
    for (std::size_t i = 0; i < 12; ++i) {
      CAPTURE(i);
      CHECK((accents(drawn.layout.row_labels, i) > 0) == (i == 3));
    }
    CHECK(accents(drawn.layout.col_labels, 5) > 0);
    CHECK(accents(drawn.layout.col_labels, 0) == 0);
    CHECK(overlap(boxes_of(drawn.layout.row_labels)) == "");
  }
}

TEST_CASE("marked tokens without a label have a mark beside the cells") {
  HeatmapFigure figure = make_difference(300, 300);
  figure.frame.rows.marked = {33};
  figure.frame.cols.marked = {147};
  const DrawnGrid drawn = draw(figure);
  const Rect& cells = drawn.layout.cells;
  const int pitch = cells.height / 300;
  const Rgb accent = light_theme().accent;
  CHECK(drawn.image.pixel(cells.x - 4, cells.y + 33 * pitch + pitch / 2) == accent);
  CHECK(drawn.image.pixel(cells.x + 147 * pitch + pitch / 2, cells.bottom() + 3) == accent);
}

TEST_CASE("rows and columns of named things are as large as their labels") {
  for (const std::size_t rows : {1, 6, 24, 60}) {
    for (const std::size_t cols : {12, 144, 1024}) {
      CAPTURE(rows, cols);
      HeatmapFigure figure = make_difference(rows, cols);
      figure.frame.named = true;
      figure.frame.rows = {"relation", make_labels(rows, "relation of dependency "), 1, 0};
      figure.frame.cols = {"head", make_labels(cols, "L1H"), 1, 0};
      const HeatmapLayout layout = draw(figure).layout;
      CHECK(layout.row_labels.size() == rows);
      CHECK(layout.col_labels.size() >= std::min<std::size_t>(cols, 40));
      CHECK(layout.cells.width <= 1600);
      CHECK(overlap(all_boxes(layout)) == "");
      const Rect picture{0, 0, layout.width, layout.height};
      for (const Rect& box : all_boxes(layout)) CHECK(picture.contains(box));
    }
  }
}

TEST_CASE("an overview of differences has the middle colour for zero") {
  const auto cells = std::make_shared<CellGrid>(make_grid(4, 4, 0));
  GridFigure figure;
  figure.row_names = {"L0"};
  figure.col_names = {"H0"};
  figure.panels = {GridPanel{cells, "", -1}};
  figure.colors = symmetric_scale(0.2);
  figure.frame = make_frame(4, 4);
  Typesetter type;
  const Image image = rasterize(draw_grid(figure, {}, type));
  const Rect panel = layout_grid(figure, {}, type).panels[0];
  CHECK(image.pixel(panel.x + 5, panel.y + 5) == colormap_named("diverging", false)[128]);
}
