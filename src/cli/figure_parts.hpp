// What every figure of the command line is made of: fonts, cells, axes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mha/analysis/cell_maps.hpp"
#include "mha/render/drawing.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"

#include "options.hpp"

namespace mha::cli {

// Font set as the options ask for it: embedded or --font first, then the system's.
std::unique_ptr<render::Typesetter> make_typesetter(const PictureOptions& options);

render::CellGrid to_grid(CellMap map);
// The largest finite value among the cells that have one; 0 when there is none.
double largest_value(const render::CellGrid& grid);

// A figure in the format that the options name.
std::vector<std::uint8_t> picture_file(const render::Drawing& drawing,
                                       const PictureOptions& options);
// ".png", ".svg" or ".pdf".
std::string picture_ending(const PictureOptions& options);

// The options with the format that a file's name asks for, where they name none themselves.
PictureOptions with_format_of(const std::string& file, PictureOptions options);
// Whether a name ends in one of the formats.
bool names_picture(const std::string& file);

// An axis over these tokens. Tokens that are only their own numbers need no labels of their own.
render::Axis make_axis(const char* title, const std::vector<std::string>& tokens, std::size_t pool);

// Heads in an overview: a row for each layer, and in it a column for each of its heads.
struct HeadPlaces {
  std::vector<std::string> rows;  // "L0"
  // "H3"; empty where the layers do not agree: their panels then need names of their own.
  std::vector<std::string> cols;
  std::vector<std::size_t> panels;  // of each head, row-major

  bool has_column_name(std::size_t head) const { return !cols[panels[head] % cols.size()].empty(); }
};
// `layers` has the layer of each head, in order; `names` are like "L0H3" or "L0mean".
HeadPlaces head_places(const std::vector<std::size_t>& layers,
                       const std::vector<std::string>& names);

}  // namespace mha::cli
