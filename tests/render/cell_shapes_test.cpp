#include "render/cell_shapes.hpp"

#include <map>
#include <utility>

#include "support/catch.hpp"

namespace mha::render {
namespace {

constexpr Rgb kRed{200, 0, 0};
constexpr Rgb kBlue{0, 0, 200};

// 2 x 3 cells of 5 x 4 pixels: the first two of the upper row and all of the lower are alike.
CellsOp small_cells(int separator) {
  CellsOp op;
  op.place = {10, 20, 5, 4, separator};
  op.rows = 2;
  op.cols = 3;
  op.colors = {kRed, kRed, kBlue, kBlue, kBlue, kBlue};
  return op;
}

// The colour that each pixel gets; no pixel may get two.
std::map<std::pair<int, int>, Rgb> painted(const std::vector<CellStrip>& strips) {
  std::map<std::pair<int, int>, Rgb> pixels;
  for (const CellStrip& strip : strips) {
    for (int y = strip.rect.y; y < strip.rect.bottom(); ++y) {
      for (int x = strip.rect.x; x < strip.rect.right(); ++x) {
        CHECK(pixels.emplace(std::pair{x, y}, strip.color).second);
      }
    }
  }
  return pixels;
}

}  // namespace

TEST_CASE("strips of cells that touch cover every cell once, in its colour") {
  const CellsOp op = small_cells(0);
  const std::vector<CellStrip> strips = cell_strips(op);
  REQUIRE(strips.size() == 3);
  CHECK((strips[0].meets_right && strips[0].meets_below));
  CHECK((!strips[1].meets_right && strips[1].meets_below));
  CHECK((!strips[2].meets_right && !strips[2].meets_below));
  const auto pixels = painted(strips);
  CHECK(pixels.size() == 15 * 8);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 15; ++x) {
      const auto cell = static_cast<std::size_t>(y / 4 * 3 + x / 5);
      REQUIRE(pixels.contains({10 + x, 20 + y}));
      CHECK(pixels.at({10 + x, 20 + y}) == op.colors[cell]);
    }
  }
  CHECK(cell_lines(op).empty());
}

TEST_CASE("cells that lines part are strips of their own, and lines fill what is between") {
  const CellsOp op = small_cells(1);
  const std::vector<CellStrip> strips = cell_strips(op);
  CHECK(strips.size() == 6);
  for (const CellStrip& strip : strips) CHECK((!strip.meets_right && !strip.meets_below));
  auto pixels = painted(strips);
  CHECK(pixels.size() == 6 * 4 * 3);
  for (const Rect& line : cell_lines(op)) {
    for (int y = line.y; y < line.bottom(); ++y) {
      for (int x = line.x; x < line.right(); ++x) pixels[{x, y}] = op.line;
    }
  }
  CHECK(pixels.size() == 14 * 7);  // the area ends with its last cells
}

}  // namespace mha::render
