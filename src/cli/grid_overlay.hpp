// Attention of image inputs: keys that are patches of a picture, drawn in their places.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mha/analysis/row_capture.hpp"
#include "mha/render/image.hpp"

#include "figures.hpp"

namespace mha::cli {

// --grid, --prefix: rows x cols patches, behind `prefix` tokens that are none (CLS).
struct PatchGrid {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t prefix = 0;
  std::size_t patches() const { return rows * cols; }
};

// Throws Error(kUsage) for a text that is no grid.
PatchGrid parse_patch_grid(const std::string& text, std::size_t prefix);
// Throws Error(kUsage) for a grid that does not fit the keys, with the one that probably would.
void check_patch_grid(const PatchGrid& grid, std::size_t n_key);

// The queries of --query: "ROW,COL" for a patch, else the index or text of a token; several are
// separated by semicolons. Empty: the first token, where it is no patch.
std::vector<std::size_t> parse_patch_queries(const std::string& text, const PatchGrid& grid,
                                             const OpenedInput& input);

// The picture in a file; no pixels without a path. Throws as read_picture() does.
render::Image read_patch_picture(const std::string& path, std::size_t memory);

// What `n_rows` captured rows hold, and their copies in a figure.
std::size_t captured_bytes(std::size_t n_rows, std::size_t n_key);

// Throws Error(kUsage) for more panels than a figure can show.
void check_panel_count(std::size_t n_heads, std::size_t n_queries);

struct GridRows {
  const OpenedInput& input;
  const SelectedHeads& heads;
  const std::vector<std::size_t>& slots;  // those of the heads that are drawn
  const PatchGrid& grid;
  const std::vector<std::size_t>& queries;
  const std::vector<RowCapture>& rows;  // one for each query
  render::Image picture;                // below them; no pixels: none
};
std::vector<std::uint8_t> overlay_picture(GridRows rows, const PictureOptions& options,
                                          render::Typesetter& typesetter);

}  // namespace mha::cli
