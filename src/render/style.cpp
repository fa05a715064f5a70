#include "mha/render/style.hpp"

#include <algorithm>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha::render {
namespace {

// Side of the cell area that a picture with a few dozen tokens gets, and of the largest cell.
constexpr double kUsualArea = 640;
constexpr double kLargestUsualCell = 84;
constexpr double kWideArea = 1160;
constexpr double kRoomyCell = 18;     // a cell as high as a line of text of the usual size
constexpr double kLabelledCell = 14;  // a cell as high as a line of small text
constexpr double kTallest = 0.75;     // of the width asked for: cells of more rows than columns

}  // namespace

const Theme& light_theme() {
  static constexpr Theme kTheme{.dark = false,
                                .background = rgb(0xffffff),
                                .foreground = rgb(0x1b1f27),
                                .muted = rgb(0x5a6270),
                                .line = rgb(0xd3d7de),
                                .masked = rgb(0xe0e0e0),
                                .hatch = rgb(0xa8a8a8),
                                .non_finite = rgb(0xe3001b),
                                .missing = rgb(0xf2ddb4),
                                .accent = rgb(0x2f74b5)};
  return kTheme;
}

const Theme& dark_theme() {
  static constexpr Theme kTheme{.dark = true,
                                .background = rgb(0x14161a),
                                .foreground = rgb(0xf0f2f5),
                                .muted = rgb(0xa3abb8),
                                .line = rgb(0x3a3f48),
                                .masked = rgb(0x3b3e44),
                                .hatch = rgb(0x666b74),
                                .non_finite = rgb(0xff2b3f),
                                .missing = rgb(0x7a6437),
                                .accent = rgb(0x6cb2ee)};
  return kTheme;
}

std::vector<std::string> theme_names() {
  return {"light", "dark"};
}

const Theme& theme_named(std::string_view name) {
  if (name == "light") return light_theme();
  if (name == "dark") return dark_theme();
  fail_usage(concat("unknown theme '", name, "'; expected ", join(theme_names(), ", ")),
             spelling_hint(name, theme_names()));
}

double ui_scale(const PictureStyle& style) {
  if (style.text_scale > 0) return style.text_scale;
  return std::clamp(style.dpi / 144.0, 1.0, 4.0);
}

std::size_t pool_factor(std::size_t n_tokens, const PictureStyle& style) {
  const std::size_t cell = std::max<std::size_t>(style.cell_px, 1);
  const std::size_t room =
      style.sure_size > 0 ? std::min(style.sure_size, style.max_size) : style.max_size;
  const std::size_t most = std::max<std::size_t>(room / cell, 1);
  return std::max<std::size_t>(ceil_div(n_tokens, most), 1);
}

std::size_t cell_size(std::size_t rows, std::size_t cols, const PictureStyle& style) {
  const std::size_t longest = std::max<std::size_t>({rows, cols, 1});
  const bool is_tall = style.sure_size > 0 && rows > cols;
  const double most = (is_tall ? kTallest : 1) * static_cast<double>(style.max_size);
  const std::size_t limit = std::max<std::size_t>(static_cast<std::size_t>(most) / longest, 1);
  if (style.cell_px > 0) return std::min(style.cell_px, limit);
  const double scale = ui_scale(style);
  double usual =
      style.area * std::min(kUsualArea / static_cast<double>(longest), kLargestUsualCell);
  if (style.labels == LabelMode::kAll) usual = std::max(usual, kLabelledCell);
  usual *= scale;
  return std::clamp<std::size_t>(static_cast<std::size_t>(usual), 1, limit);
}

std::size_t named_cell_size(std::size_t count, std::size_t usual, const PictureStyle& style) {
  if (style.cell_px > 0 || style.labels == LabelMode::kNone) return usual;
  const double n = static_cast<double>(std::max<std::size_t>(count, 1));
  const bool roomy = n * kRoomyCell <= kUsualArea * style.area;
  const double wanted =
      (roomy ? kRoomyCell : std::min(kLabelledCell, style.area * kWideArea / n)) * ui_scale(style);
  const double most = static_cast<double>(style.max_size) / n;
  return std::max(usual, static_cast<std::size_t>(std::min(wanted, most)));
}

}  // namespace mha::render
