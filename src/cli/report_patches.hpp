// Attention on the patches of a picture in the interactive page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mha/analysis/row_capture.hpp"
#include "mha/render/font.hpp"
#include "mha/render/image.hpp"

#include "grid_overlay.hpp"
#include "options.hpp"

namespace mha::cli {

// What all inputs of a page share.
struct ReportPatches {
  PatchGrid grid;
  render::Image picture;  // as small as the page shows it; no pixels: none
};

// Nothing without --grid. `memory`: what decoding the picture may take. Throws as
// parse_patch_grid() and read_patch_picture() do.
std::optional<ReportPatches> read_report_patches(const PatchOptions& options, std::size_t memory);

// For the script: {"rows", "cols", "prefix", "picture": {"width", "height", "url"} or null}.
std::string patches_json(const ReportPatches& patches);

// What readers without scripts see: one query of the last layer's heads over the picture.
class StaticPatches {
 public:
  // Throws Error(kUsage) for an input that the grid does not fit.
  StaticPatches(const ReportPatches& patches, const OpenedInput& input, const SelectedHeads& heads);

  // To be attached to the analysis.
  Accumulator* rows() { return rows_.data(); }
  std::size_t held_bytes() const;
  // A paragraph and a picture.
  std::string html(const PictureOptions& options, render::Typesetter& typesetter) const;

 private:
  const ReportPatches& patches_;
  const OpenedInput& input_;
  const SelectedHeads& heads_;
  std::vector<std::size_t> slots_;
  std::vector<std::size_t> queries_;
  std::vector<RowCapture> rows_;
};

}  // namespace mha::cli
