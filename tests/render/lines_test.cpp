// One head as lines and arcs.
#include "mha/render/lines.hpp"

#include <algorithm>

#include "mha/base/error.hpp"

#include "figures.hpp"
#include "support/catch.hpp"

namespace mha::render {
namespace {

LinesFigure make_lines(bool arcs) {
  LinesFigure figure;
  figure.arcs = arcs;
  figure.queries = {"query (attends from)", make_labels(6), 1, 0};
  figure.keys = {"key (attends to)", make_labels(6), 1, 0};
  figure.lines = {{3, 1, 0.9}, {1, 3, 0.3}, {2, 2, 0.6}};
  figure.largest = 0.9;
  return figure;
}

std::vector<CurveOp> curves_of(const LinesFigure& figure) {
  Typesetter type;
  std::vector<CurveOp> out;
  const Drawing drawing = draw_lines(figure, {}, type);
  for (const DrawingOp& op : drawing.ops) {
    if (const auto* curve = std::get_if<CurveOp>(&op)) out.push_back(*curve);
  }
  return out;
}

TEST_CASE("every weight is a line, the strongest last, widest and solid") {
  for (const bool arcs : {false, true}) {
    const std::vector<CurveOp> curves = curves_of(make_lines(arcs));
    REQUIRE(curves.size() == 3);
    CHECK(curves[0].width < curves[1].width);
    CHECK(curves[1].width < curves[2].width);
    CHECK(curves[0].opacity < curves[1].opacity);
    CHECK(curves[2].opacity == Approx(1));
  }
}

TEST_CASE("lines lead from the query's row on the left to the key's on the right") {
  const CurveOp curve = curves_of(make_lines(false)).back();  // 3 to 1
  CHECK(curve.points[0].x < curve.points[3].x);
  CHECK(curve.points[0].y > curve.points[3].y);
  CHECK(curve.points[0].y - curve.points[3].y == Approx(2 * 24));
}

TEST_CASE("arcs to earlier tokens are above, to later ones below") {
  const std::vector<CurveOp> curves = curves_of(make_lines(true));
  CHECK(curves[2].points[1].y < curves[2].points[0].y);  // 3 to 1
  CHECK(curves[0].points[1].y > curves[0].points[0].y);  // 1 to 3
  CHECK(curves[0].points[0].y > curves[2].points[0].y);
  CHECK(curves[1].points[0].x == curves[1].points[3].x);  // 2 to 2
}

TEST_CASE("a column with fewer tokens is centred beside the longer one") {
  LinesFigure figure = make_lines(false);
  figure.queries.labels.resize(2);
  figure.lines = {{0, 2, 0.5}, {1, 3, 0.5}};
  for (const CurveOp& curve : curves_of(figure)) CHECK(curve.points[0].y == curve.points[3].y);
}

TEST_CASE("lines are pixels of their colour") {
  Typesetter type;
  const Drawing drawing = draw_lines(make_lines(false), {}, type);
  const Image image = rasterize(drawing);
  const Rgb accent = light_theme().accent;
  CHECK(count_pixels(image, {0, 0, image.width, image.height}, accent) > 300);
}

TEST_CASE("lines of tokens that are not there are refused") {
  LinesFigure figure = make_lines(false);
  figure.lines.push_back({6, 0, 0.5});
  Typesetter type;
  CHECK_THROWS_AS(draw_lines(figure, {}, type), Error);
}

}  // namespace
}  // namespace mha::render
