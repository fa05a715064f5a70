#include "mha/render/scatter.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "figures.hpp"
#include "render/legend.hpp"
#include "render/markers.hpp"
#include "support/catch.hpp"

using namespace mha::render;

namespace {

ScatterFigure make_figure(std::size_t n) {
  ScatterFigure figure;
  figure.text = {"Heads", "near means alike", {"A note."}};
  figure.kinds = {"previous token", "first token", "induction", "broad"};
  figure.x_title = "first coordinate";
  figure.y_title = "second coordinate";
  std::mt19937 random(5);
  const auto next = [&] { return static_cast<double>(random()) / 4294967296.0; };
  for (std::size_t i = 0; i < n; ++i) {
    const int kind = static_cast<int>(i % 5) - 1;
    figure.points.push_back({4 * next() - 2, 2 * next(), "L3H" + std::to_string(i), kind});
  }
  return figure;
}

void check_layout(const ScatterLayout& layout) {
  std::vector<Rect> boxes = {layout.title, layout.caption, layout.plot, layout.x_title,
                             layout.y_title};
  const auto add = [&](const std::vector<Rect>& more) {
    boxes.insert(boxes.end(), more.begin(), more.end());
  };
  add(layout.x_ticks);
  add(layout.y_ticks);
  add(layout.legend);
  add(layout.notes);
  std::erase_if(boxes, [](const Rect& box) { return box.width == 0 || box.height == 0; });
  CHECK(overlap(boxes) == "");
  const Rect picture{0, 0, layout.width, layout.height};
  for (const Rect& box : boxes) {
    CAPTURE(box.x, box.y, box.width, box.height, layout.width, layout.height);
    CHECK(picture.contains(box));
  }
  CHECK(overlap(boxes_of(layout.names)) == "");
  for (const PlacedLabel& name : layout.names) {
    CHECK(layout.plot.contains(name.box));
    for (const PlacedLabel& point : layout.points) CHECK(!point.box.overlaps(name.box));
  }
  for (const PlacedLabel& point : layout.points) CHECK(layout.plot.contains(point.box));
}

struct DrawnMap {
  Image image;
  ScatterLayout layout;
};

DrawnMap draw(const ScatterFigure& figure, const PictureStyle& style = {}) {
  Typesetter type;
  return {rasterize(draw_scatter(figure, style, type)), layout_scatter(figure, style, type)};
}

Rgb middle(const DrawnMap& drawn, const Rect& box) {
  return drawn.image.pixel(box.x + box.width / 2, box.y + box.height / 2);
}

}  // namespace

TEST_CASE("names of points cover neither each other nor a point, from one point to a thousand") {
  Typesetter type;
  for (std::size_t n : {0, 1, 2, 12, 48, 144, 1024}) {
    CAPTURE(n);
    const ScatterLayout layout = layout_scatter(make_figure(n), {}, type);
    check_layout(layout);
    CHECK(layout.points.size() == n);
    if (n <= 12) CHECK(layout.names.size() == n);
    CHECK(layout.notes.size() == (layout.names.size() < n ? 2 : 1));
  }
}

TEST_CASE("a scatter plot holds at other sizes, dots per inch and label modes") {
  Typesetter type;
  PictureStyle style;
  style.dpi = 300;
  check_layout(layout_scatter(make_figure(48), style, type));
  style.labels = LabelMode::kNone;
  const ScatterLayout bare = layout_scatter(make_figure(48), style, type);
  check_layout(bare);
  CHECK(bare.names.empty());
  CHECK(bare.notes.size() == 1);
  style = {};
  style.max_size = 300;
  check_layout(layout_scatter(make_figure(48), style, type));
}

TEST_CASE("points in one place, in a line, far from zero or close to each other are drawn") {
  Typesetter type;
  for (const double x : {0.0, 0.25, -3e7, 1e-9}) {
    for (const double step : {0.0, 1e-12, 1e-5, 4e3}) {
      CAPTURE(x, step);
      ScatterFigure figure = make_figure(6);
      for (std::size_t i = 0; i < 6; ++i) {
        figure.points[i].x = x + step * static_cast<double>(i);
        figure.points[i].y = x;
      }
      const ScatterLayout layout = layout_scatter(figure, {}, type);
      check_layout(layout);
      CHECK(layout.points.size() == 6);
      CHECK(!layout.names.empty());
    }
  }
}

TEST_CASE("both axes of a scatter plot have the same scale") {
  ScatterFigure figure;
  figure.points = {{0, 0, "a"}, {3, 0, "b"}, {0, 1, "c"}};
  const DrawnMap drawn = draw(figure);
  const auto& points = drawn.layout.points;
  const int across = points[1].box.x - points[0].box.x;
  const int up = points[0].box.y - points[2].box.y;
  CHECK(across > 300);
  CHECK(std::abs(across - 3 * up) <= 4);
}

TEST_CASE("every kind has a colour and a shape of its own") {
  ScatterFigure figure;
  for (int i = 0; i < 8; ++i) {
    figure.kinds.push_back("kind" + std::to_string(i));
    figure.points.push_back({static_cast<double>(i), 0, "", i});
  }
  figure.points.push_back({8, 0, "", -1});
  for (const Theme& theme : {light_theme(), dark_theme()}) {
    PictureStyle style;
    style.theme = theme;
    const DrawnMap drawn = draw(figure, style);
    for (std::size_t i = 0; i < 8; ++i) {
      CHECK(middle(drawn, drawn.layout.points[i].box) == kind_color(i));
    }
    CHECK(middle(drawn, drawn.layout.points[8].box) == theme.muted);
    CHECK(drawn.layout.legend.size() == 8);
  }
  const auto mask = [](std::size_t kind) {
    return make_marker(kind, 12, rgb(0), light_theme()).edge.coverage;
  };
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t b = 0; b < a; ++b) CHECK(mask(a) != mask(b));
  }
}

TEST_CASE("shapes of all kinds are about equally large") {
  for (std::size_t kind = 0; kind < 8; ++kind) {
    CAPTURE(kind);
    double ink = 0;
    for (const std::uint8_t c : make_marker(kind, 40, rgb(0), light_theme()).edge.coverage) {
      ink += c / 255.0;
    }
    CHECK(ink > 0.7 * 3.1416 * 400);
    CHECK(ink < 1.2 * 3.1416 * 400);
  }
}

TEST_CASE("in a crowd the outlier keeps its name") {
  ScatterFigure figure = make_figure(400);
  for (ScatterPoint& point : figure.points) point.x *= 0.1, point.y *= 0.1;
  figure.points[250].x = 3;
  const ScatterLayout layout = draw(figure).layout;
  CHECK(layout.names.size() < 400);
  const auto is_outlier = [](const PlacedLabel& name) { return name.index == 250; };
  CHECK(std::count_if(layout.names.begin(), layout.names.end(), is_outlier) == 1);
}

TEST_CASE("points without finite coordinates are counted in a note") {
  ScatterFigure figure = make_figure(3);
  figure.points[1].x = std::numeric_limits<double>::quiet_NaN();
  const DrawnMap drawn = draw(figure);
  CHECK(drawn.layout.points.size() == 2);
  CHECK(drawn.layout.points[1].index == 2);
  CHECK(drawn.layout.notes.size() == 2);
}
