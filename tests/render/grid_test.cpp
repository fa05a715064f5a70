#include "mha/render/grid.hpp"

#include <cmath>

#include "mha/base/error.hpp"

#include "figures.hpp"
#include "support/catch.hpp"

using namespace mha::render;

namespace {

GridFigure make_figure(std::size_t layers, std::size_t heads, std::size_t tokens) {
  GridFigure figure;
  figure.text = {"Overview", "a caption", {"A note."}};
  figure.frame = make_frame(tokens, tokens);
  for (std::size_t l = 0; l < layers; ++l) figure.row_names.push_back("L" + std::to_string(l));
  for (std::size_t h = 0; h < heads; ++h) figure.col_names.push_back("H" + std::to_string(h));
  for (std::size_t i = 0; i < layers * heads; ++i) {
    CellGrid cells = make_grid(tokens, tokens, 0);
    cells.states[tokens * tokens - 1] = CellState::kMasked;
    cells.values[0] = static_cast<float>(i % 2);
    figure.panels.emplace_back(GridPanel{std::make_shared<CellGrid>(std::move(cells)), "", -1});
  }
  return figure;
}

void set_value(GridFigure* figure, std::size_t panel, std::size_t cell, float value) {
  CellGrid cells = *figure->panels[panel]->cells;
  cells.values[cell] = value;
  figure->panels[panel]->cells = std::make_shared<CellGrid>(std::move(cells));
}

}  // namespace

TEST_CASE("overviews of every size have no overlaps and stay within bounds") {
  struct Case {
    std::size_t layers, heads, tokens;
  };
  for (const Case& c : {Case{1, 1, 1}, Case{1, 1, 6}, Case{1, 4, 12}, Case{2, 3, 5}, Case{3, 4, 40},
                        Case{12, 12, 6}, Case{1, 12, 600}, Case{24, 40, 96}, Case{4, 4, 2000}}) {
    CAPTURE(c.layers, c.heads, c.tokens);
    Typesetter type;
    const GridFigure figure = make_figure(c.layers, c.heads, c.tokens);
    const GridLayout layout = layout_grid(figure, {}, type);
    std::vector<Rect> boxes = layout.panels;
    for (const auto& labels : {layout.row_names, layout.col_names, layout.row_labels}) {
      for (const Rect& box : boxes_of(labels)) boxes.push_back(box);
    }
    boxes.insert(boxes.end(), {layout.title, layout.caption, layout.color_bar});
    boxes.insert(boxes.end(), layout.legend.begin(), layout.legend.end());
    boxes.insert(boxes.end(), layout.notes.begin(), layout.notes.end());
    CHECK(overlap(boxes) == "");
    const Rect picture{0, 0, layout.width, layout.height};
    for (const Rect& box : boxes) CHECK(picture.contains(box));
    for (const Rect& box : boxes_of(layout.col_labels)) CHECK(picture.contains(box));
    CHECK(layout.width <= 1950);
    CHECK(layout.col_names.front().index == 0);
    CHECK(layout.col_names.back().index == c.heads - 1);
    const Image image = rasterize(draw_grid(figure, {}, type));
    CHECK(image.width == layout.width);
    CHECK(image.height == layout.height);
  }
}

TEST_CASE("the name of a kind stands above its panel whole, or in the legend alone") {
  Typesetter type;
  const auto texts = [&](std::size_t across, int kind) {
    GridFigure figure;
    figure.row_names = {"L0"};
    figure.col_names = make_labels(across, "H");
    figure.kinds = {"previous token"};
    for (std::size_t i = 0; i < across; ++i) {
      figure.panels.emplace_back(
          GridPanel{std::make_shared<CellGrid>(make_grid(9, 9, 0.5F)), "previous token", kind});
    }
    figure.frame = make_frame(9, 9);
    std::string all;
    for (const DrawingOp& op : draw_grid(figure, {}, type).ops) {
      const auto* text = std::get_if<TextOp>(&op);
      if (text == nullptr || !text->text.set) continue;
      for (const SetRun& run : text->text.set->runs) all += run.text + "|";
    }
    return all;
  };
  CHECK(texts(14, 0).find("…") == std::string::npos);
  CHECK(texts(14, -1).find("…") != std::string::npos);  // of no legend: cut rather than lost
  const std::string wide = texts(4, 0);
  CHECK(wide.find("previous token") != wide.rfind("previous token"));  // and in the legend
}

TEST_CASE("one row of few heads is a lesson figure: large panels with token labels") {
  Typesetter type;
  const GridLayout layout = layout_grid(make_figure(1, 4, 12), {}, type);
  CHECK(layout.panels[0].width >= 260);
  CHECK(layout.row_labels.size() == 12);
  CHECK(layout.col_labels.size() == 4 * 12);
}

TEST_CASE("each panel shows its own head") {
  Typesetter type;
  const GridFigure figure = make_figure(2, 3, 8);
  const GridLayout layout = layout_grid(figure, {}, type);
  const Image image = rasterize(draw_grid(figure, {}, type));
  const Colormap& map = colormap_named("", false);
  for (std::size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    const Rect& panel = layout.panels[i];
    CHECK(cell_pixel(image, panel, 0, 0, 8, 8) == map[i % 2 == 0 ? 0 : 255]);
    CHECK(cell_pixel(image, panel, 7, 7, 8, 8) == light_theme().masked);
    CHECK(cell_pixel(image, panel, 3, 4, 8, 8) == map[0]);
  }
}

TEST_CASE("the row scale works in the overview: each row by its own maximum") {
  Typesetter type;
  GridFigure figure = make_figure(1, 2, 4);
  figure.colors.kind = ScaleKind::kRow;
  set_value(&figure, 0, 4 * 2 + 1, 0.001F);
  const GridLayout layout = layout_grid(figure, {}, type);
  const Image image = rasterize(draw_grid(figure, {}, type));
  CHECK(cell_pixel(image, layout.panels[0], 2, 1, 4, 4) == colormap_named("", false)[255]);
}

TEST_CASE("a layer with fewer heads leaves its places free") {
  Typesetter type;
  GridFigure figure = make_figure(2, 2, 6);
  figure.panels[3].reset();
  const GridLayout layout = layout_grid(figure, {}, type);
  const Image image = rasterize(draw_grid(figure, {}, type));
  const Rect& free = layout.panels[3];
  CHECK(count_pixels(image, free, light_theme().background) ==
        static_cast<std::size_t>(free.width * free.height));
}

TEST_CASE("panels with more cells than pixels are pooled by maximum, and a note says so") {
  Typesetter type;
  GridFigure figure = make_figure(12, 12, 1000);
  set_value(&figure, 0, 1000 * 501 + 707, 1.0F);
  set_value(&figure, 0, 0, 0);
  const GridLayout layout = layout_grid(figure, {}, type);
  const GridLayout small = layout_grid(make_figure(12, 12, 6), {}, type);
  CHECK(layout.notes.size() == small.notes.size() + 1);
  const Image image = rasterize(draw_grid(figure, {}, type));
  CHECK(count_pixels(image, layout.panels[0], colormap_named("", false)[255]) >= 1);
}

TEST_CASE("kinds colour the edges of their panels and appear in the legend") {
  Typesetter type;
  GridFigure figure = make_figure(2, 2, 6);
  const std::size_t before = layout_grid(figure, {}, type).legend.size();
  figure.kinds = {"previous token", "first token"};
  figure.panels[1]->kind = 1;
  const GridLayout layout = layout_grid(figure, {}, type);
  CHECK(layout.legend.size() == before + 2);
  const Image image = rasterize(draw_grid(figure, {}, type));
  const Rect& panel = layout.panels[1];
  const Rgb edge = image.pixel(panel.x - 1, panel.y + panel.height / 2);
  CHECK(edge == Rgb{0x00, 0x9E, 0x73});
  CHECK(image.pixel(layout.panels[0].x - 1, panel.y + panel.height / 2) != edge);
}

TEST_CASE("an overview with a wrong number of panels is an internal error") {
  Typesetter type;
  GridFigure figure = make_figure(2, 2, 3);
  figure.panels.pop_back();
  CHECK_THROWS_AS(draw_grid(figure, {}, type), mha::Error);
  CHECK_THROWS_AS(draw_grid(GridFigure{}, {}, type), mha::Error);
}
