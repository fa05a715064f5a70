#include <cmath>

#include "mha/render/heatmap.hpp"

#include "figures.hpp"
#include "support/catch.hpp"

using namespace mha::render;

TEST_CASE("thinning keeps the first and the last label and the distance") {
  for (std::size_t n : {1, 2, 3, 7, 10, 64, 512, 1334, 5000}) {
    for (double pitch : {0.3, 1.0, 2.5, 9.0, 50.0}) {
      CAPTURE(n, pitch);
      const std::vector<std::size_t> kept = thin_labels(n, pitch, 17);
      REQUIRE(!kept.empty());
      CHECK(kept.front() == 0);
      const bool room_for_two = static_cast<double>(n - 1) * pitch >= 17;
      if (n > 1 && room_for_two) CHECK(kept.back() == n - 1);
      for (std::size_t i = 1; i < kept.size(); ++i) {
        CHECK(static_cast<double>(kept[i] - kept[i - 1]) * pitch >= 17);
      }
    }
  }
  CHECK(thin_labels(0, 1, 17).empty());
  CHECK(thin_labels(5, 20, 17) == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

namespace {

HeatmapLayout layout_of(const HeatmapFrame& frame, std::size_t rows, std::size_t cols,
                        const PictureStyle& style = {}) {
  Typesetter type;
  CellGrid cells = make_grid(rows, cols, 0.5F);
  cells.states[0] = CellState::kMasked;
  cells.values[cells.values.size() - 1] = std::nanf("");
  const HeatmapPainter painter(frame, {rows, cols}, style, type);
  const PictureText text{"L3H7", "a caption that says something about this head", {"A note."}};
  return painter.layout(text, cells, {"", ScaleKind::kSqrt});
}

void check_layout(const HeatmapLayout& layout) {
  const std::vector<Rect> boxes = all_boxes(layout);
  CHECK(overlap(boxes) == "");
  const Rect picture{0, 0, layout.width, layout.height};
  for (const Rect& box : boxes) {
    CAPTURE(box.x, box.y, box.width, box.height, layout.width, layout.height);
    CHECK(picture.contains(box));
  }
  for (const PlacedLabel& label : layout.col_labels) CHECK(picture.contains(label.box));
}

}  // namespace

TEST_CASE("nothing overlaps and nothing is clipped, from one cell to thousands") {
  const std::vector<std::pair<std::size_t, std::size_t>> shapes = {
      {1, 1},   {2, 2},   {1, 5},     {5, 1},    {6, 6},   {5, 9},     {12, 12},
      {24, 24}, {40, 40}, {64, 64},   {1, 40},   {40, 1},  {128, 128}, {200, 30},
      {3, 900}, {900, 3}, {512, 512}, {1, 1600}, {1600, 1}};
  for (const auto& [rows, cols] : shapes) {
    CAPTURE(rows, cols);
    check_layout(layout_of(make_frame(rows, cols), rows, cols));
    HeatmapFrame numbered = make_frame(rows, cols);
    numbered.rows.labels.clear();
    numbered.cols.labels.clear();
    check_layout(layout_of(numbered, rows, cols));
  }
}

TEST_CASE("layouts hold at other sizes, dots per inch and label modes") {
  PictureStyle style;
  style.dpi = 300;
  check_layout(layout_of(make_frame(12, 12), 12, 12, style));
  style.labels = LabelMode::kAll;
  check_layout(layout_of(make_frame(70, 70), 70, 70, style));
  style.labels = LabelMode::kNone;
  check_layout(layout_of(make_frame(70, 70), 70, 70, style));
  style = {};
  style.cell_px = 1;
  check_layout(layout_of(make_frame(5, 5), 5, 5, style));
  style.cell_px = 200;
  check_layout(layout_of(make_frame(5, 5), 5, 5, style));
}

TEST_CASE("labels in between are dropped, the first and the last stay") {
  const HeatmapLayout layout = layout_of(make_frame(512, 512), 512, 512);
  for (const auto& labels : {layout.row_labels, layout.col_labels}) {
    CHECK(labels.size() > 10);
    CHECK(labels.size() < 60);
    CHECK(labels.front().index == 0);
    CHECK(labels.back().index == 511);
  }
}

TEST_CASE("pooled cells keep their labels at the tokens' own places") {
  HeatmapFrame frame = make_frame(1000, 1000);
  frame.rows.pool = frame.cols.pool = 4;
  const HeatmapLayout layout = layout_of(frame, 250, 250);
  CHECK(layout.row_labels.back().index == 999);
  const PlacedLabel& last = layout.col_labels.back();
  CHECK(last.index == 999);
  CHECK(std::abs(last.box.x + last.box.width / 2 - layout.cells.right()) <= 4);
}

TEST_CASE("labels turned by 45 degrees keep a line's height between them") {
  const HeatmapLayout layout = layout_of(make_frame(12, 12), 12, 12);
  CHECK(layout.col_angle == 45);
  REQUIRE(layout.col_labels.size() == 12);
  // The labels have almost the same length, so their boxes' distance is that of their columns.
  const int pitch = layout.col_labels[5].box.x - layout.col_labels[4].box.x;
  CHECK(pitch * std::sqrt(0.5) >= 17);
}

TEST_CASE("level labels are used where all of them fit between the columns") {
  HeatmapFrame frame = make_frame(5, 5);
  frame.cols.labels = {"a", "b", "c", "d", "e"};
  CHECK(layout_of(frame, 5, 5).col_angle == 0);
  frame.cols.labels[3] = "a much longer one";
  CHECK(layout_of(frame, 5, 5).col_angle == 45);
  CHECK(layout_of(make_frame(40, 40), 40, 40).col_angle == 90);
}

TEST_CASE("a very long label is cut and does not blow up the picture") {
  HeatmapFrame frame = make_frame(4, 4);
  frame.rows.labels[2] = frame.cols.labels[1] = std::string(100000, 'x');
  const HeatmapLayout layout = layout_of(frame, 4, 4);
  check_layout(layout);
  CHECK(layout.width < 1100);
  CHECK(layout.height < 1100);
  CHECK(layout.row_labels[2].box.width <= 182);
  CHECK(layout.row_labels[2].box.width >= 150);
}

TEST_CASE("a label list as long as a book costs no more than what is drawn") {
  HeatmapFrame frame = make_frame(1, 1);
  frame.rows.labels = frame.cols.labels = make_labels(200000);
  frame.rows.pool = frame.cols.pool = 400;
  const HeatmapLayout layout = layout_of(frame, 500, 500);
  CHECK(layout.row_labels.size() < 60);
  CHECK(layout.row_labels.back().index == 199999);
}

TEST_CASE("without labels there are none") {
  PictureStyle style;
  style.labels = LabelMode::kNone;
  const HeatmapLayout layout = layout_of(make_frame(6, 6), 6, 6, style);
  CHECK(layout.row_labels.empty());
  CHECK(layout.col_labels.empty());
  CHECK(layout.row_title.width > 0);
}
