// How pictures look: themes, sizes, labels.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mha/render/color.hpp"

namespace mha::render {

struct Theme {
  bool dark = false;
  Rgb background;
  Rgb foreground;  // titles, labels
  Rgb muted;       // captions, ticks, notes
  Rgb line;        // frames and separators
  Rgb masked;      // a cell that may not be attended to
  Rgb hatch;       // strokes over fully masked rows
  Rgb non_finite;  // NaN and infinity: outside every colour map
  Rgb missing;     // no number known
  Rgb accent;      // bars
};

const Theme& light_theme();
const Theme& dark_theme();

// "light" or "dark"; throws Error(kUsage) with a suggestion for any other name.
const Theme& theme_named(std::string_view name);
std::vector<std::string> theme_names();

enum class LabelMode { kAuto, kAll, kNone };

struct PictureStyle {
  std::size_t cell_px = 0;      // side of a cell; 0 = from the number of cells
  std::size_t max_size = 1600;  // longest side of the cell area, pixels
  LabelMode labels = LabelMode::kAuto;
  // Written into the PNG when > 0. Text and lines are drawn for 144 dots an inch; above that they
  // grow with dpi, so that a figure keeps its printed size and becomes sharper.
  int dpi = 0;
  Theme theme = light_theme();
  // For print. Factor of text sizes and line widths; 0: from dpi.
  double text_scale = 0;
  bool has_fixed_text = false;  // text_scale is what was asked for, whether or not it fits
  int width_px = 0;             // the width that the figure should have; 0: as it comes
  // Pixels that cells surely have beside their labels in a figure of that width: callers pool for
  // so many. 0: max_size.
  std::size_t sure_size = 0;
  // Set by fit_width().
  double area = 1;     // factor of the parts that are not text
  int text_width = 0;  // titles and notes are no wider than this; 0: than a readable line
  int min_width = 0;   // the picture is no narrower than this
};

// Factor of text sizes and line widths: style.text_scale, or dpi / 144 within [1, 4].
double ui_scale(const PictureStyle& style);

// The style with which a figure becomes as wide as style.width_px asks, or the same style when it
// does not ask. `width_of` is the width in pixels under a style. Text becomes smaller where even
// the smallest parts are too wide; throws Error(kUsage) where it may not, or would be too small to
// read.
PictureStyle fit_width(const PictureStyle& style,
                       const std::function<int(const PictureStyle&)>& width_of);

// Smallest k such that ceil(n_tokens / k) cells of at least 1 px (or cell_px) fit into max_size
// (and sure_size); the caller pools k x k tokens into a cell before drawing. At least 1. Use the
// larger axis.
std::size_t pool_factor(std::size_t n_tokens, const PictureStyle& style);

// Side of a cell in pixels for a heatmap of rows x cols cells.
std::size_t cell_size(std::size_t rows, std::size_t cols, const PictureStyle& style);

// Side of a cell along one axis of `count` things that are looked up by name: as high as a line of
// small text where that fits into a wide picture, never smaller than `usual` (of cell_size).
std::size_t named_cell_size(std::size_t count, std::size_t usual, const PictureStyle& style);

}  // namespace mha::render
