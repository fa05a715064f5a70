#include "mha/render/tree_matrix.hpp"

#include <cmath>
#include <limits>

#include "mha/base/error.hpp"

#include "figures.hpp"
#include "support/catch.hpp"

using namespace mha::render;

namespace {

// n names, joined one after the other at growing distances: 0 with 1, then 2, then 3, ...
TreeMatrixFigure make_tree_figure(std::size_t n) {
  TreeMatrixFigure figure;
  figure.text = {"Heads", "how far they are from each other", {"A note."}};
  figure.names = make_labels(n, "L10H");
  figure.cells = make_grid(n, n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      figure.cells.values[i * n + j] = static_cast<float>(std::max(i, j) - std::min(i, j));
    }
    figure.groups.push_back(static_cast<int>(i % 3) - 1);
    if (i + 1 < n) figure.merges.push_back({i == 0 ? 0 : n + i - 1, i + 1, 0.1 + 0.01 * i});
  }
  figure.colors.high = static_cast<double>(std::max<std::size_t>(n, 2) - 1);
  figure.cut = 0.105;
  return figure;
}

void check_layout(const TreeMatrixLayout& layout) {
  std::vector<Rect> boxes = {layout.title, layout.caption,    layout.tree,      layout.groups,
                             layout.cells, layout.tree_title, layout.color_bar, layout.bar_title};
  const auto add = [&](const std::vector<Rect>& more) {
    boxes.insert(boxes.end(), more.begin(), more.end());
  };
  add(layout.tree_ticks);
  add(layout.ticks);
  add(layout.legend);
  add(layout.notes);
  add(boxes_of(layout.row_labels));
  if (layout.col_angle != 45) add(boxes_of(layout.col_labels));
  std::erase_if(boxes, [](const Rect& box) { return box.width == 0 || box.height == 0; });
  CHECK(overlap(boxes) == "");
  const Rect picture{0, 0, layout.width, layout.height};
  for (const Rect& box : boxes) {
    CAPTURE(box.x, box.y, box.width, box.height, layout.width, layout.height);
    CHECK(picture.contains(box));
  }
  for (const PlacedLabel& label : layout.col_labels) {
    CHECK(picture.contains(label.box));
    CHECK(!label.box.overlaps(layout.tree));
  }
}

struct DrawnTree {
  Image image;
  TreeMatrixLayout layout;
};

DrawnTree draw(const TreeMatrixFigure& figure, const PictureStyle& style = {}) {
  Typesetter type;
  return {rasterize(draw_tree_matrix(figure, style, type)),
          layout_tree_matrix(figure, style, type)};
}

}  // namespace

TEST_CASE("a tree and its matrix fit side by side, from one name to a thousand") {
  Typesetter type;
  for (std::size_t n : {1, 2, 4, 12, 40, 144, 1024}) {
    CAPTURE(n);
    check_layout(layout_tree_matrix(make_tree_figure(n), {}, type));
  }
}

TEST_CASE("a tree matrix holds at other sizes, dots per inch and label modes") {
  Typesetter type;
  PictureStyle style;
  style.dpi = 300;
  check_layout(layout_tree_matrix(make_tree_figure(12), style, type));
  style.labels = LabelMode::kNone;
  check_layout(layout_tree_matrix(make_tree_figure(12), style, type));
  style = {};
  style.cell_px = 3;
  check_layout(layout_tree_matrix(make_tree_figure(12), style, type));
  TreeMatrixFigure tiny = make_tree_figure(12);
  for (TreeMerge& merge : tiny.merges) merge.distance *= 1e-5;
  tiny.cut = 0.105e-5;
  check_layout(layout_tree_matrix(tiny, {}, type));
  tiny.value_name = "a very long name of the distance between the attention maps of two heads";
  check_layout(layout_tree_matrix(tiny, {}, type));
}

TEST_CASE("the title of a narrow tree is whole") {
  TreeMatrixFigure figure = make_tree_figure(24);
  figure.value_name = "Jensen-Shannon distance, nats";
  PictureStyle style;
  style.dpi = 300;
  style.width_px = 1004;  // 85 mm
  style.text_scale = 8 / 7.5 * 300 / 144;
  style.has_fixed_text = true;
  Typesetter type;
  std::string horizontal;  // the colour bar has the same title, upright
  for (const DrawingOp& op : draw_tree_matrix(figure, style, type).ops) {
    const auto* text = std::get_if<TextOp>(&op);
    if (text == nullptr || !text->text.set || text->text.set->angle != 0) continue;
    for (const SetRun& run : text->text.set->runs) horizontal += run.text + " ";
  }
  CHECK(horizontal.find("…") == std::string::npos);
  CHECK(horizontal.find("Jensen-Shannon distance, nats") != std::string::npos);
}

TEST_CASE("names, cells and groups are in the order of the leaves") {
  const TreeMatrixFigure figure = make_tree_figure(4);
  const DrawnTree drawn = draw(figure);
  const Colormap& map = colormap_named("", false);
  CHECK(drawn.image.width == drawn.layout.width);
  CHECK(drawn.image.height == drawn.layout.height);
  const auto cell = [&](std::size_t row, std::size_t col) {
    return cell_pixel(drawn.image, drawn.layout.cells, row, col, 4, 4);
  };
  CHECK(cell(1, 1) == map[0]);
  CHECK(cell(0, 3) == map[255]);
  CHECK(cell(2, 1) == map[85]);
  REQUIRE(drawn.layout.row_labels.size() == 4);
  const int pitch = drawn.layout.cells.height / 4;
  for (int i = 0; i < 4; ++i) {
    const PlacedLabel& label = drawn.layout.row_labels[static_cast<std::size_t>(i)];
    CHECK(label.index == static_cast<std::size_t>(i));
    CHECK(std::abs(label.box.y + label.box.height / 2 - drawn.layout.cells.y - i * pitch -
                   pitch / 2) <= 3);
  }
  const Rect& strip = drawn.layout.groups;
  const auto group = [&](int i) {
    return drawn.image.pixel(strip.x + strip.width / 2, strip.y + i * pitch + pitch / 2);
  };
  CHECK(group(0) == light_theme().background);
  CHECK(group(1) == Rgb{0xE6, 0x9F, 0x00});
  CHECK(group(2) == Rgb{0x00, 0x9E, 0x73});
  CHECK(group(3) == light_theme().background);
}

TEST_CASE("a branch is drawn at its distance, and the cut between the merges that it parts") {
  TreeMatrixFigure figure = make_tree_figure(4);
  figure.merges = {{0, 1, 0.2}, {2, 3, 0.3}, {4, 5, 0.9}};
  figure.cut = 0.5;
  const DrawnTree drawn = draw(figure);
  const TreeMatrixLayout& layout = drawn.layout;
  REQUIRE(layout.merges.size() == 3);
  const Rect& tree = layout.tree;
  const auto distance = [&](int x) { return static_cast<double>(tree.right() - 1 - x); };
  CHECK(distance(layout.merges[1]) / distance(layout.merges[0]) == Approx(1.5).margin(0.03));
  CHECK(distance(layout.merges[2]) / distance(layout.merges[0]) == Approx(4.5).margin(0.06));
  REQUIRE(layout.cut);
  CHECK(distance(*layout.cut) / distance(layout.merges[0]) == Approx(2.5).margin(0.04));
  const Theme& theme = light_theme();
  const int pitch = tree.height / 4;
  CHECK(drawn.image.pixel(layout.merges[0], tree.y + pitch) == theme.foreground);
  CHECK(drawn.image.pixel(layout.merges[1], tree.y + 3 * pitch) == theme.foreground);
  CHECK(drawn.image.pixel(layout.merges[2], tree.y + 2 * pitch) == theme.foreground);
  CHECK(drawn.image.pixel(layout.merges[0] + 5, tree.y + pitch / 2) == theme.foreground);
  CHECK(drawn.image.pixel(layout.merges[0] + 5, tree.y + pitch) != theme.foreground);
  const Rect line{*layout.cut, tree.y, 1, tree.height};
  const auto height = static_cast<std::size_t>(tree.height);
  CHECK(count_pixels(drawn.image, line, theme.accent) > height * 2 / 5);
  CHECK(count_pixels(drawn.image, line, theme.accent) < height * 3 / 5);
  figure.cut = std::numeric_limits<double>::quiet_NaN();
  CHECK(!draw(figure).layout.cut);
  CHECK(count_pixels(draw(figure).image, line, theme.accent) == 0);
}

TEST_CASE("more names than pixels are pooled by their mean, and a note says so") {
  TreeMatrixFigure figure = make_tree_figure(100);
  figure.colors = {"greys", ScaleKind::kLinear, 0, 1};
  for (std::size_t i = 0; i < figure.cells.values.size(); ++i) {
    figure.cells.values[i] = i / 100 % 2 == 0 ? 1.0F : 0.0F;
  }
  PictureStyle style;
  style.max_size = 50;
  const DrawnTree drawn = draw(figure, style);
  CHECK(drawn.layout.cells.width == 50);
  CHECK(drawn.layout.notes.size() == 2);
  CHECK(drawn.image.pixel(drawn.layout.cells.x + 7, drawn.layout.cells.y + 7) ==
        colormap_named("greys", false)[128]);
  check_layout(drawn.layout);
}

TEST_CASE("a dark tree is light on dark, with NaN and masked cells as in a heatmap") {
  TreeMatrixFigure figure = make_tree_figure(4);
  figure.cells.values[1] = std::numeric_limits<float>::quiet_NaN();
  figure.cells.states[4] = CellState::kMasked;
  PictureStyle style;
  style.theme = dark_theme();
  const DrawnTree drawn = draw(figure, style);
  CHECK(drawn.image.pixel(0, 0) == dark_theme().background);
  CHECK(drawn.image.pixel(drawn.layout.merges[0],
                          drawn.layout.tree.y + drawn.layout.tree.height / 4) ==
        dark_theme().foreground);
  CHECK(cell_pixel(drawn.image, drawn.layout.cells, 0, 1, 4, 4) == dark_theme().non_finite);
  CHECK(cell_pixel(drawn.image, drawn.layout.cells, 1, 0, 4, 4) == dark_theme().masked);
  CHECK(drawn.layout.legend.size() == 3);
}

TEST_CASE("trees that are no trees and matrices of another size are refused") {
  Typesetter type;
  TreeMatrixFigure figure = make_tree_figure(4);
  figure.merges[2].a = 0;
  CHECK_THROWS_AS(draw_tree_matrix(figure, {}, type), mha::Error);
  figure.merges[2].a = 9;
  CHECK_THROWS_AS(draw_tree_matrix(figure, {}, type), mha::Error);
  figure = make_tree_figure(4);
  figure.names.pop_back();
  CHECK_THROWS_AS(draw_tree_matrix(figure, {}, type), mha::Error);
  figure = make_tree_figure(4);
  figure.merges.clear();
  figure.groups.clear();
  CHECK(layout_tree_matrix(figure, {}, type).tree.width == 0);
}
