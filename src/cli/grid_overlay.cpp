#include "grid_overlay.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/picture.hpp"
#include "mha/render/colormap.hpp"
#include "mha/render/overlay.hpp"
#include "mha/text/tokens.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kLongestSide = 512;  // of patches; larger ones could not be told apart
constexpr std::size_t kMostPanels = 64;
constexpr std::size_t kMostPrefix = 16;

// "14x14", "3,5": two whole numbers.
std::optional<std::pair<std::size_t, std::size_t>> number_pair(std::string_view text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view part) -> std::optional<std::size_t> {
    std::size_t value = 0;
    const char* const end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, value);
    if (part.empty() || error != std::errc() || stop != end) return std::nullopt;
    return value;
  };
  const auto first = number(text.substr(0, at));
  const auto second = number(text.substr(at + 1));
  if (!first || !second) return std::nullopt;
  return std::pair{*first, *second};
}

// The square behind a few tokens that has as many keys, in words; empty when there is none.
std::string likely_grid(std::size_t n_key, std::size_t prefix) {
  std::vector<std::size_t> prefixes{prefix};
  for (std::size_t p = 0; p <= kMostPrefix; ++p) prefixes.push_back(p);
  for (const std::size_t p : prefixes) {
    if (p >= n_key) continue;
    const auto side = static_cast<std::size_t>(std::lround(std::sqrt(n_key - p)));
    if (side < 2 || side * side != n_key - p) continue;
    return concat("try --grid ", side, "x", side, p > 0 ? concat(" --prefix ", p) : "");
  }
  return {};
}

std::size_t query_of_patch(const std::string& text, std::pair<std::size_t, std::size_t> patch,
                           const PatchGrid& grid, const OpenedInput& input) {
  if (patch.first >= grid.rows || patch.second >= grid.cols) {
    fail_usage(concat("--query: expected a patch from 0,0 to ", grid.rows - 1, ",", grid.cols - 1,
                      ", got '", text, "'"));
  }
  const std::size_t key = grid.prefix + patch.first * grid.cols + patch.second;
  const std::size_t before = input.key_tokens.size() - input.tokens.size();
  if (input.is_cross || key < before) {
    fail_usage(concat("--query: the patch ", text, " is a key alone and asks nothing"),
               "name a query by its index or text");
  }
  return key - before;
}

// The patch that a query stands for.
std::optional<std::size_t> patch_of_query(std::size_t query, const GridRows& rows) {
  if (rows.input.is_cross) return std::nullopt;
  const std::size_t key = query + rows.input.key_tokens.size() - rows.input.tokens.size();
  if (key < rows.grid.prefix) return std::nullopt;
  return key - rows.grid.prefix;
}

std::string overlay_query_name(std::size_t query, const GridRows& rows) {
  if (const auto patch = patch_of_query(query, rows)) {
    return concat("patch ", *patch / rows.grid.cols, ",", *patch % rows.grid.cols);
  }
  return concat("query ", query, ": ", display_token(rows.input.tokens[query]));
}

render::OverlayPanel make_panel(const CellMap& row, const std::string& label,
                                const PatchGrid& grid) {
  render::CellGrid all = to_grid(row);
  render::OverlayPanel panel;
  panel.label = label;
  panel.cells.rows = grid.rows;
  panel.cells.cols = grid.cols;
  const auto first = static_cast<std::ptrdiff_t>(grid.prefix);
  panel.cells.values.assign(all.values.begin() + first, all.values.end());
  if (!all.states.empty()) panel.cells.states.assign(all.states.begin() + first, all.states.end());
  double outside = 0;
  for (std::size_t j = 0; j < grid.prefix; ++j) outside += static_cast<double>(all.values[j]);
  if (grid.prefix > 0 && std::isfinite(outside)) {
    panel.label += concat(" (", fixed(std::min(outside, 0.99), 2), " on no patch)");
  }
  return panel;
}

void set_scale(const PictureOptions& options, render::OverlayFigure* figure) {
  const RangeChoice range = parse_range(options.range);
  render::ColorScale& colors = figure->colors;
  colors.colormap = options.colormap;
  // Dark and light ends would be taken for the picture's own shadows and lights.
  if (colors.colormap.empty() && figure->picture.width > 0) colors.colormap = "viridis";
  colors.kind = render::scale_named(options.color_scale);
  if (colors.kind == render::ScaleKind::kRow) colors.kind = render::ScaleKind::kLinear;
  if (range.kind == RangeChoice::Kind::kFixed) {
    colors.low = range.low;
    colors.high = range.high;
    return;
  }
  double high = 0;
  for (const render::OverlayPanel& panel : figure->panels) {
    for (const float value : panel.cells.values) {
      if (std::isfinite(value)) high = std::max(high, static_cast<double>(value));
    }
  }
  colors.high = high > 0 ? high : 1;
}

}  // namespace

render::Image read_patch_picture(const std::string& path, std::size_t memory) {
  render::Image image;
  if (path.empty()) return image;
  const Picture picture = read_picture(path, memory);
  image.width = static_cast<int>(picture.width);
  image.height = static_cast<int>(picture.height);
  image.rgb.assign(picture.rgb.begin(), picture.rgb.end());
  return image;
}

PatchGrid parse_patch_grid(const std::string& text, std::size_t prefix) {
  const auto sides = number_pair(text, 'x');
  if (!sides || sides->first == 0 || sides->second == 0 || sides->first > kLongestSide ||
      sides->second > kLongestSide) {
    fail_usage(
        concat("--grid: expected ROWSxCOLS with 1 to ", kLongestSide, " of each, got '", text, "'"),
        "for example --grid 14x14");
  }
  return {sides->first, sides->second, prefix};
}

void check_patch_grid(const PatchGrid& grid, std::size_t n_key) {
  if (grid.prefix <= n_key && grid.patches() == n_key - grid.prefix) return;
  fail_usage(concat("--grid ", grid.rows, "x", grid.cols, " with --prefix ", grid.prefix, " makes ",
                    grid.prefix, " + ", grid.patches(), " keys, and the input has ", n_key),
             likely_grid(n_key, grid.prefix));
}

std::vector<std::size_t> parse_patch_queries(const std::string& text, const PatchGrid& grid,
                                             const OpenedInput& input) {
  if (text.empty()) {
    if (grid.prefix > 0 || input.is_cross) return {0};
    fail_usage("--grid: say whose attention to draw", "for example --query 3,5 (row and column)");
  }
  std::vector<std::size_t> queries;
  for (const std::string& part : split(text, ';')) {
    const auto patch = number_pair(part, ',');
    queries.push_back(patch ? query_of_patch(part, *patch, grid, input)
                            : find_token("--query", part, input.tokens));
  }
  return queries;
}

std::size_t captured_bytes(std::size_t n_rows, std::size_t n_key) {
  return 2 * (sizeof(float) + sizeof(MapCell)) * n_rows * n_key;
}

void check_panel_count(std::size_t n_heads, std::size_t n_queries) {
  if (n_heads * n_queries <= kMostPanels) return;
  fail_usage(concat("too many panels; expected at most ", kMostPanels, ", got ", n_heads,
                    " heads times ", n_queries, " queries"),
             "select heads with --heads");
}

std::vector<std::uint8_t> overlay_picture(GridRows rows, const PictureOptions& options,
                                          render::Typesetter& typesetter) {
  const std::size_t n_heads = rows.slots.size();
  const std::size_t n_queries = rows.queries.size();
  render::OverlayFigure figure;
  figure.picture = std::move(rows.picture);
  for (const std::size_t h : rows.slots) {
    for (std::size_t q = 0; q < n_queries; ++q) {
      const std::string name = overlay_query_name(rows.queries[q], rows);
      const std::string label = concat(rows.heads.names[h], "  ", name);
      figure.panels.push_back(make_panel(rows.rows[q].row(h), label, rows.grid));
      figure.panels.back().marked = patch_of_query(rows.queries[q], rows);
    }
  }
  figure.across =
      n_queries > 1 ? std::min<std::size_t>(n_queries, 4) : std::min<std::size_t>(n_heads, 4);
  set_scale(options, &figure);
  figure.text.title = concat("attention on ", rows.grid.rows, " × ", rows.grid.cols, " patches");
  if (!options.title.empty()) figure.text.title = options.title + "  " + figure.text.title;
  figure.text.caption = "where each query attends to; rows and columns of patches from 0";
  figure.text.notes = rows.input.notes;
  const render::PictureStyle style = picture_style(options);
  return picture_file(render::draw_overlay(figure, style, typesetter), options);
}

}  // namespace mha::cli
