#include "mha/render/sheet.hpp"

#include <cmath>

#include "mha/base/error.hpp"
#include "mha/render/colormap.hpp"

#include "figures.hpp"
#include "support/catch.hpp"

using namespace mha::render;

namespace {

SheetPanel make_panel(std::size_t rows, std::size_t cols, bool with_tokens) {
  SheetPanel panel;
  panel.number = "3";
  panel.title = "Scores";
  panel.formula = "S = Q K^{T} / √{d_{k}}";
  panel.shape = "n × n";
  panel.sentence = "Every query meets every key, and the largest products win in the end.";
  panel.worked = {"1.00 + 2.00 = 3.00", "3.00 / 2 = 1.50"};
  panel.picture.cells = make_grid(rows, cols, 0);
  for (std::size_t i = 0; i < rows * cols; ++i) {
    panel.picture.cells.values[i] = i % 2 == 0 ? 1.0F : -1.0F;
  }
  panel.picture.colors = symmetric_scale(1);
  panel.picture.cols.title = "key j";
  panel.picture.rows.title = "query i";
  if (!with_tokens) return panel;
  panel.picture.rows.labels = make_labels(rows);
  panel.picture.cols.labels = make_labels(cols);
  panel.picture.rows.marked = {1};
  panel.picture.square = true;
  return panel;
}

SheetFigure make_figure() {
  SheetFigure figure;
  figure.text = {"One head", "step by step", {"A note."}};
  figure.rows.push_back({"First", {make_panel(4, 30, false)}});
  figure.rows.push_back({"", {make_panel(6, 6, true), make_panel(9, 6, true)}});
  figure.rows.push_back(
      {"", {make_panel(5, 8, false), make_panel(1, 1, true), make_panel(64, 16, false)}});
  figure.rows[1].panels[0].picture.frames = {{2, 3, 1, 1}};
  return figure;
}

std::vector<Rect> boxes_of_sheet(const SheetLayout& layout) {
  std::vector<Rect> boxes = {layout.title, layout.caption};
  boxes.insert(boxes.end(), layout.headings.begin(), layout.headings.end());
  boxes.insert(boxes.end(), layout.notes.begin(), layout.notes.end());
  for (const auto& row : layout.rows) {
    for (const SheetPanelLayout& panel : row) {
      for (const Rect& box :
           {panel.title, panel.formula, panel.shape, panel.picture, panel.sentence, panel.worked}) {
        boxes.push_back(box);
      }
    }
  }
  std::erase_if(boxes, [](const Rect& box) { return box.width == 0 || box.height == 0; });
  return boxes;
}

void check_layout(const SheetLayout& layout) {
  const std::vector<Rect> boxes = boxes_of_sheet(layout);
  CHECK(overlap(boxes) == "");
  const Rect page{0, 0, layout.width, layout.height};
  for (const Rect& box : boxes) {
    CAPTURE(box.x, box.y, box.width, box.height, layout.width, layout.height);
    CHECK(page.contains(box));
  }
  for (const auto& row : layout.rows) {
    for (const SheetPanelLayout& panel : row) {
      std::vector<Rect> parts = {panel.cells, panel.color_bar, panel.row_title, panel.col_title};
      std::erase_if(parts, [](const Rect& box) { return box.width == 0; });
      CHECK(overlap(parts) == "");
      for (const Rect& part : parts) CHECK(panel.picture.contains(part));
    }
  }
}

TEST_CASE("nothing on a sheet overlaps or leaves the page") {
  Typesetter type;
  for (const int dpi : {0, 300}) {
    PictureStyle style;
    style.dpi = dpi;
    check_layout(layout_sheet(make_figure(), style, type));
  }
}

TEST_CASE("in a narrow sheet panels have rows of their own, and matrices the width") {
  Typesetter type;
  SheetFigure figure = make_figure();
  figure.rows.push_back({"", {make_panel(12, 64, true), make_panel(12, 16, true)}});
  figure.rows.back().panels[1].picture.square = false;
  figure.width = 452;  // 85 mm with labels of 8 points
  const SheetLayout narrow = layout_sheet(figure, {}, type);
  check_layout(narrow);
  CHECK(narrow.rows.size() == 8);
  for (const auto& row : narrow.rows) {
    CHECK(row.size() == 1);
    CHECK(row[0].sentence.y >= row[0].picture.bottom());
    CHECK(row[0].picture.right() <= 452 - 22);
  }
  CHECK(narrow.rows[7][0].cells.width > 200);
  figure.width = 905;
  const SheetLayout middle = layout_sheet(figure, {}, type);
  check_layout(middle);
  CHECK(middle.rows[1].size() == 2);
  CHECK(middle.headings.size() == 1);
}

TEST_CASE("a tiny matrix keeps its long titles apart, or leaves one out") {
  Typesetter type;
  SheetFigure figure;
  SheetPanel tiny = make_panel(1, 2, false);
  tiny.picture.rows.title = "a long title of the rows";
  tiny.picture.cols.title = "a long title of the columns";
  figure.rows.push_back({"", {tiny, tiny, tiny}});
  const SheetLayout layout = layout_sheet(figure, {}, type);
  check_layout(layout);
  CHECK(layout.rows[0][0].row_title.width == 0);
  CHECK(layout.rows[0][0].col_title.width > 0);
}

TEST_CASE("a panel alone has its texts beside its picture, others below") {
  Typesetter type;
  const SheetLayout layout = layout_sheet(make_figure(), {}, type);
  const SheetPanelLayout& alone = layout.rows[0][0];
  CHECK(alone.sentence.right() < alone.picture.x);
  const SheetPanelLayout& shared = layout.rows[1][0];
  CHECK(shared.sentence.y >= shared.picture.bottom());
  CHECK(shared.picture.y == layout.rows[1][1].picture.y);
}

TEST_CASE("cells have the colours of their values, frames stand around theirs") {
  Typesetter type;
  const SheetFigure figure = make_figure();
  const Image image = rasterize(draw_sheet(figure, {}, type));
  const SheetLayout layout = layout_sheet(figure, {}, type);
  CHECK(image.width == layout.width);
  CHECK(image.height == layout.height);
  const Colormap& map = colormap_named("diverging", false);
  const Rect& cells = layout.rows[1][0].cells;
  CHECK(cell_pixel(image, cells, 0, 0, 6, 6) == map[255]);
  CHECK(cell_pixel(image, cells, 0, 1, 6, 6) == map[0]);
  REQUIRE(layout.rows[1][0].frames.size() == 1);
  const Rect& frame = layout.rows[1][0].frames[0];
  CHECK(frame.x == cells.x + 3 * frame.width);
  CHECK(frame.y == cells.y + 2 * frame.height);
  CHECK(image.pixel(frame.x - 1, frame.y + frame.height / 2) == light_theme().foreground);
  CHECK(image.pixel(frame.x + frame.width / 2, frame.bottom()) == light_theme().foreground);
}

TEST_CASE("a matrix with more cells than pixels keeps its largest values") {
  SheetFigure figure;
  figure.rows.push_back({"", {make_panel(900, 2500, false)}});
  CellGrid& cells = figure.rows[0].panels[0].picture.cells;
  cells = make_grid(900, 2500, 0);
  cells.values[0] = -1;
  cells.values[1] = 0.5F;
  Typesetter type;
  const Image image = rasterize(draw_sheet(figure, {}, type));
  const SheetLayout layout = layout_sheet(figure, {}, type);
  const SheetPanelLayout& panel = layout.rows[0][0];
  CHECK(panel.row_pool > 1);
  CHECK(panel.col_pool > 1);
  CHECK(image.width < 1600);
  const Colormap& map = colormap_named("diverging", false);
  CHECK(image.pixel(panel.cells.x, panel.cells.y) == map[0]);
  CHECK(image.pixel(panel.cells.right() - 1, panel.cells.bottom() - 1) == map[128]);
  check_layout(layout);
}

TEST_CASE("spans are parted by lines and carry their names") {
  SheetFigure figure;
  figure.rows.push_back({"", {make_panel(4, 40, false)}});
  SheetPicture& picture = figure.rows[0].panels[0].picture;
  picture.cells = make_grid(4, 40, 0);
  Typesetter type;
  const Image without = rasterize(draw_sheet(figure, {}, type));
  picture.cols.spans = {{0, 20, "H0", false}, {20, 40, "H1", true}};
  const Image with = rasterize(draw_sheet(figure, {}, type));
  const SheetLayout layout = layout_sheet(figure, {}, type);
  const Rect& cells = layout.rows[0][0].cells;
  std::size_t changed_columns = 0;
  for (int x = cells.x; x < cells.right(); ++x) {
    const int y = cells.y + 3;
    if (with.pixel(x, y) == without.pixel(x, y)) continue;
    ++changed_columns;
    CHECK(std::abs(x - (cells.x + cells.width / 2)) < 4);
  }
  CHECK(changed_columns > 0);
  const Rect below{cells.x + cells.width / 2, cells.bottom() + 1, cells.width / 2, 22};
  CHECK(count_pixels(with, below, light_theme().accent) > 0);
}

TEST_CASE("names of spans that would run into each other give way to the marked one") {
  SheetFigure figure;
  figure.rows.push_back({"", {make_panel(4, 40, false)}});
  SheetPicture& picture = figure.rows[0].panels[0].picture;
  picture.cells = make_grid(4, 40, 0);
  for (std::size_t h = 0; h < 40; ++h) {
    picture.cols.spans.push_back({h, h + 1, "H" + std::to_string(h), h == 20});
  }
  Typesetter type;
  const Image image = rasterize(draw_sheet(figure, {}, type));
  const Rect cells = layout_sheet(figure, {}, type).rows[0][0].cells;
  const Rect below{cells.x, cells.bottom() + 2, cells.width, 20};
  CHECK(count_pixels(image, below, light_theme().accent) > 0);
  CHECK(count_pixels(image, below, light_theme().muted) == 0);
}

TEST_CASE("the same sheet gives the same pixels") {
  Typesetter one, other;
  const Image a = rasterize(draw_sheet(make_figure(), {}, one));
  const Image b = rasterize(draw_sheet(make_figure(), {}, other));
  CHECK((a.rgb == b.rgb));
}

TEST_CASE("labels that do not fit the cells are a bug, not a picture") {
  SheetFigure figure = make_figure();
  figure.rows[1].panels[0].picture.rows.labels.pop_back();
  Typesetter type;
  CHECK_THROWS_AS(draw_sheet(figure, {}, type), mha::Error);
}

}  // namespace
