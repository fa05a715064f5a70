// What a picture shows, as plain data: no files, no fonts, no attention in here. All text is UTF-8
// and already safe to display.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mha::render {

enum class CellState : std::uint8_t {
  kValue,        // has a value; NaN or infinity is drawn apart from the colour map
  kMasked,       // this query may not attend to this key
  kFullyMasked,  // this query may not attend to any key
  kMissing,      // no number is known (null in the input)
};

// rows x cols cells, row-major. `states` may be empty: then every cell has a value.
struct CellGrid {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<float> values;
  std::vector<CellState> states;

  CellState state(std::size_t i) const { return states.empty() ? CellState::kValue : states[i]; }
};

// Labels are one per TOKEN. Cell c covers tokens [c * pool, (c + 1) * pool) of `labels`; labels may
// be empty: then tokens are numbered from `first`. The labels of the tokens in `marked` stand out.
struct Axis {
  std::string title;
  std::vector<std::string> labels;
  std::size_t pool = 1;
  std::size_t first = 0;
  std::vector<std::size_t> marked = {};
};

enum class ScaleKind : std::uint8_t {
  kLinear,
  kSqrt,
  kLog,  // from max(low, high * 1e-4) to high
  kRow,  // each row by its own largest value; the colour bar then goes from 0 to "row max"
};

// `colormap` is a name of colormap_names(), "diverging" (see symmetric_scale), or empty for the one
// that suits the theme.
struct ColorScale {
  std::string colormap;
  ScaleKind kind = ScaleKind::kLinear;
  double low = 0;
  double high = 1;
};

// Title, one line below it, and small print below the picture. Any of them may be empty.
struct PictureText {
  std::string title;
  std::string caption;
  std::vector<std::string> notes;
};

// What all heads of one input have in common. `named` is for rows or columns that are things of
// their own (relations, heads) and not tokens of one sequence: cells need not be square, rows are
// as high as their labels while they fit, and columns as wide.
struct HeatmapFrame {
  Axis rows;
  Axis cols;
  std::string value_name = "attention weight";
  bool named = false;
};

// One head: queries down, keys across.
struct HeatmapFigure {
  PictureText text;
  CellGrid cells;
  ColorScale colors;
  HeatmapFrame frame;
};

// One small heatmap of an overview. `label` (such as "previous token") is drawn above it where it
// fits; `kind` is an index into GridFigure::kinds, or -1: the panel's edge gets that kind's colour.
// `cells` are shared with the picture of the single head.
struct GridPanel {
  std::shared_ptr<const CellGrid> cells;
  std::string label;
  int kind = -1;
};

// Many heads: row_names (layers) down, col_names (heads) across. `panels` is row-major, of
// row_names.size() * col_names.size() elements; an empty one leaves its place free.
struct GridFigure {
  PictureText text;
  std::vector<std::string> row_names;
  std::vector<std::string> col_names;
  std::vector<std::optional<GridPanel>> panels;
  std::vector<std::string> kinds;
  ColorScale colors;
  HeatmapFrame frame;
};

// One query's row: a bar for each key. Bar i covers tokens [i * pool, (i + 1) * pool).
// `states` may be empty. `highlight` is a token (the query itself), or npos.
struct BarsFigure {
  static constexpr std::size_t kNoToken = static_cast<std::size_t>(-1);

  PictureText text;
  Axis keys;
  std::vector<float> values;
  std::vector<CellState> states;
  std::size_t highlight = kNoToken;
  std::string value_name = "attention weight";
};

// One head as lines from queries to keys. `arcs`: queries and keys are the same tokens, which stand
// side by side once; else they stand in two columns. A line's strength is its weight's part of
// `largest`. Labels are one per token; both axes have some.
struct LinesFigure {
  struct Line {
    std::size_t query = 0;
    std::size_t key = 0;
    double weight = 0;
  };

  PictureText text;
  Axis queries;
  Axis keys;
  std::vector<Line> lines;
  double largest = 1;
  bool arcs = false;
};

// Two branches become one at `distance`: a and b are leaves (0 .. n-1) or earlier merges (n + k).
struct TreeMerge {
  std::size_t a = 0;
  std::size_t b = 0;
  double distance = 0;
};

// n items, compared with each other: an n x n matrix beside the tree that joins them. `names` are
// in the order of the tree's leaves, so that no branches cross; `merges` may be fewer than n - 1,
// then there are several trees. `groups` has one number for each name (-1: none) or is empty.
struct TreeMatrixFigure {
  PictureText text;
  std::vector<std::string> names;
  CellGrid cells;
  ColorScale colors;
  std::vector<TreeMerge> merges;
  double cut = std::numeric_limits<double>::quiet_NaN();  // a dashed line there; NaN: none
  std::vector<int> groups;
  std::string value_name = "distance";
};

// `kind` is an index into ScatterFigure::kinds, or -1.
struct ScatterPoint {
  double x = 0;
  double y = 0;
  std::string name;
  int kind = -1;
};

// Points of a plane whose distances mean something: both axes have the same scale.
struct ScatterFigure {
  PictureText text;
  std::vector<ScatterPoint> points;
  std::vector<std::string> kinds;
  std::string x_title;
  std::string y_title;
};

}  // namespace mha::render
