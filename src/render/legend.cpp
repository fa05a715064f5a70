#include "legend.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "markers.hpp"

namespace mha::render {

void CellKinds::add(const CellGrid& cells) {
  unsigned seen = 0;  // a bit for each state; simple enough to be vectorised
  for (const CellState state : cells.states) seen |= 1U << static_cast<unsigned>(state);
  const auto has = [seen](CellState state) {
    return (seen >> static_cast<unsigned>(state) & 1U) != 0;
  };
  masked = masked || has(CellState::kMasked);
  fully_masked = fully_masked || has(CellState::kFullyMasked);
  missing = missing || has(CellState::kMissing);
  for (std::size_t i = 0; i < cells.values.size() && !non_finite; ++i) {
    non_finite = !std::isfinite(cells.values[i]) && cells.state(i) == CellState::kValue;
  }
}

std::vector<LegendEntry> entries_for(const CellKinds& kinds, const Theme& theme) {
  std::vector<LegendEntry> entries;
  if (kinds.masked) entries.push_back({.color = theme.masked, .text = "masked"});
  if (kinds.fully_masked) {
    entries.push_back({.color = theme.masked, .hatched = true, .text = "fully masked row"});
  }
  if (kinds.non_finite) entries.push_back({.color = theme.non_finite, .text = "NaN or infinite"});
  if (kinds.missing) entries.push_back({.color = theme.missing, .text = "missing"});
  return entries;
}

Rgb kind_color(std::size_t index) {
  static constexpr std::array<Rgb, 7> kColors = {rgb(0xE69F00), rgb(0x009E73), rgb(0xD55E00),
                                                 rgb(0x56B4E9), rgb(0xCC79A7), rgb(0x0072B2),
                                                 rgb(0xF0E442)};
  return kColors[index % kColors.size()];
}

Legend make_legend(const std::vector<LegendEntry>& entries, const Sizes& sizes, int max_width,
                   Typesetter& type) {
  Legend legend;
  legend.swatch = sizes.px(14);
  const int line = sizes.px(20);
  int x = 0;
  int y = 0;
  for (const LegendEntry& entry : entries) {
    TextBitmap text = type.set(entry.text, sizes.tick());
    const int width = legend.swatch + sizes.px(7) + static_cast<int>(std::ceil(text.advance));
    if (x > 0 && x + width > max_width) {
      x = 0;
      y += line + sizes.px(3);
    }
    legend.items.push_back({entry, std::move(text), {x, y, width, line}});
    legend.width = std::max(legend.width, x + width);
    legend.height = y + line;
    x += width + sizes.px(20);
  }
  return legend;
}

namespace {

void draw_dashes(Canvas* canvas, const Rect& square, Rgb color) {
  const int dash = std::max(2, square.height * 2 / 5);
  for (int y = square.y; y < square.bottom(); y += dash * 3 / 2) {
    const int length = std::min(dash, square.bottom() - y);
    canvas->fill({square.x + square.width / 2 - 1, y, std::max(2, square.width / 8), length},
                 color);
  }
}

void draw_swatch(Canvas* canvas, const LegendEntry& entry, const Rect& square, const Theme& theme) {
  if (entry.hollow) {
    canvas->fill(square, theme.background);
    const int stroke = std::max(2, square.width / 6);
    const Rect inside{square.x + stroke, square.y + stroke, square.width - 2 * stroke,
                      square.height - 2 * stroke};
    return canvas->frame(inside, stroke, entry.color);
  }
  if (entry.dashed) return draw_dashes(canvas, square, entry.color);
  if (entry.marker) {
    const Marker marker = make_marker(*entry.marker, square.width - 2, entry.color, theme);
    return canvas->marker(marker, square.x + square.width / 2, square.y + square.height / 2);
  }
  canvas->fill(square, entry.color);
  const int stroke = std::max(1, square.width / 10);
  if (entry.hatched) canvas->hatch(square, 5 * stroke, stroke, theme.hatch);
}

}  // namespace

void draw_legend(Canvas* canvas, const Legend& legend, int x, int y, const Theme& theme) {
  for (const Legend::Item& item : legend.items) {
    const int top = y + item.box.y + (item.box.height - legend.swatch) / 2;
    const Rect square{x + item.box.x, top, legend.swatch, legend.swatch};
    draw_swatch(canvas, item.entry, square, theme);
    const int baseline = y + item.box.y + item.box.height * 3 / 4;
    canvas->text(item.text, square.right() + legend.swatch / 2, baseline, theme.muted);
  }
}

std::vector<Rect> legend_boxes(const Legend& legend, int x, int y) {
  std::vector<Rect> boxes;
  for (const Legend::Item& item : legend.items) {
    boxes.push_back({x + item.box.x, y + item.box.y, item.box.width, item.box.height});
  }
  return boxes;
}

}  // namespace mha::render
