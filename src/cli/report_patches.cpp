#include "report_patches.hpp"

#include "mha/base/base64.hpp"
#include "mha/base/text.hpp"
#include "mha/render/html_text.hpp"
#include "mha/render/png.hpp"
#include "mha/render/terminal_graphics.hpp"
#include "mha/report/json_writer.hpp"

namespace mha::cli {
namespace {

constexpr int kEmbeddedSide = 512;        // pixels: as large as a page shows it
constexpr std::size_t kStaticPanels = 4;  // of the static picture
constexpr int kStaticSide = 900;

// The first token where it is no patch, else the patch in the middle.
std::size_t shown_query(const PatchGrid& grid, const OpenedInput& input) {
  const std::size_t n_query = input.tokens.size();
  const bool are_patches = !input.is_cross && n_query == input.key_tokens.size();
  if (grid.prefix > 0 || !are_patches) return 0;
  return grid.rows / 2 * grid.cols + grid.cols / 2;
}

// Heads of the last layer, where a picture's objects stand out most.
std::vector<std::size_t> shown_slots(const SelectedHeads& heads) {
  const std::size_t last = heads.layer_numbers.back();
  std::vector<std::size_t> slots;
  for (std::size_t s = 0; s < heads.slots.size() && slots.size() < kStaticPanels; ++s) {
    if (heads.layer_numbers[s] == last) slots.push_back(s);
  }
  return slots;
}

std::string data_url(const render::Image& picture) {
  return "data:image/png;base64," + base64(render::encode_png(picture));
}

}  // namespace

std::optional<ReportPatches> read_report_patches(const PatchOptions& options, std::size_t memory) {
  if (options.grid.empty()) return std::nullopt;
  ReportPatches patches{parse_patch_grid(options.grid, options.prefix), {}};
  render::Image picture = read_patch_picture(options.image, memory);
  if (picture.width > 0) {
    patches.picture = render::shrunk_to_fit(std::move(picture), kEmbeddedSide, kEmbeddedSide);
  }
  return patches;
}

std::string patches_json(const ReportPatches& patches) {
  const render::Image& picture = patches.picture;
  std::string shown = "null";
  if (picture.width > 0) {
    shown = concat("{\"width\":", picture.width, ",\"height\":", picture.height, ",\"url\":\"",
                   data_url(picture), "\"}");
  }
  return concat("{\"rows\":", patches.grid.rows, ",\"cols\":", patches.grid.cols,
                ",\"prefix\":", patches.grid.prefix, ",\"picture\":", shown, "}");
}

StaticPatches::StaticPatches(const ReportPatches& patches, const OpenedInput& input,
                             const SelectedHeads& heads)
    : patches_(patches), input_(input), heads_(heads), slots_(shown_slots(heads)) {
  check_patch_grid(patches.grid, input.key_tokens.size());
  queries_.push_back(shown_query(patches.grid, input));
  rows_.emplace_back(heads.slots.size(), queries_[0]);
}

std::size_t StaticPatches::held_bytes() const {
  return patches_.picture.rgb.size() +
         captured_bytes(heads_.slots.size(), input_.key_tokens.size());
}

std::string StaticPatches::html(const PictureOptions& options,
                                render::Typesetter& typesetter) const {
  PictureOptions picture = options;
  picture.max_size = kStaticSide;
  const GridRows rows{input_, heads_, slots_, patches_.grid, queries_, rows_, patches_.picture};
  return concat("<p class=\"facts\">What one query gives to the ", patches_.grid.rows, " × ",
                patches_.grid.cols,
                " patches of the picture, in heads of the last layer</p>\n<img alt=\"Attention of "
                "one query on the patches of the picture\" "
                "src=\"data:image/png;base64,",
                base64(overlay_picture(rows, picture, typesetter)), "\">\n");
}

}  // namespace mha::cli
