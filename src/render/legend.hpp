// Small squares that explain the colours outside of the colour map.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mha/render/canvas.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"
#include "mha/render/grid.hpp"

#include "sizes.hpp"

namespace mha::render {

// What a matrix contains beside finite values.
struct CellKinds {
  bool masked = false;
  bool fully_masked = false;
  bool non_finite = false;
  bool missing = false;

  void add(const CellGrid& cells);
};

struct LegendEntry {
  Rgb color;
  bool hatched = false;
  bool hollow = false;  // a thick outline in that colour, as around a panel
  bool dashed = false;  // an upright dashed line
  std::optional<std::size_t> marker = std::nullopt;  // the shape of this kind's points
  std::string text = {};
};

std::vector<LegendEntry> entries_for(const CellKinds& kinds, const Theme& theme);

struct Legend {
  struct Item {
    LegendEntry entry;
    TextBitmap text;
    Rect box;  // of square and text, relative to the legend's corner
  };
  std::vector<Item> items;
  int swatch = 0;
  int width = 0;
  int height = 0;
};

// In rows of at most max_width px.
Legend make_legend(const std::vector<LegendEntry>& entries, const Sizes& sizes, int max_width,
                   Typesetter& type);
void draw_legend(Canvas* canvas, const Legend& legend, int x, int y, const Theme& theme);
std::vector<Rect> legend_boxes(const Legend& legend, int x, int y);

}  // namespace mha::render
