#include "options.hpp"

#include <cmath>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha::cli {

std::size_t parse_size(const std::string& text) {
  std::size_t used = 0;
  double number = -1;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  std::string unit = text.substr(used);
  if (!unit.empty() && (unit.back() == 'B' || unit.back() == 'b')) unit.pop_back();
  if (!unit.empty() && unit.back() == 'i') unit.pop_back();
  constexpr std::string_view kUnits = "KMGT";
  double factor = 1;
  if (unit.size() == 1) {
    const std::size_t at = kUnits.find(static_cast<char>(std::toupper(unit[0])));
    factor = at == std::string_view::npos ? -1 : std::pow(1024.0, static_cast<double>(at + 1));
  } else if (!unit.empty()) {
    factor = -1;
  }
  const double bytes = number * factor;
  if (used == 0 || !(bytes >= 1) || bytes > 0x1p62) {
    fail_usage("--memory: not a size; expected a number like 500M or 2G, got '" + text + "'");
  }
  return static_cast<std::size_t>(bytes);
}

render::PictureStyle picture_style(const PictureOptions& options) {
  render::PictureStyle style;
  style.cell_px = options.cell;
  style.max_size = options.max_size;
  style.labels = options.labels == "all"    ? render::LabelMode::kAll
                 : options.labels == "none" ? render::LabelMode::kNone
                                            : render::LabelMode::kAuto;
  style.dpi = options.dpi;
  style.theme = render::theme_named(options.theme);
  return style;
}

RangeChoice parse_range(const std::string& text) {
  if (text == "shared") return {};
  if (text == "head") return {RangeChoice::Kind::kHead, 0, 1};
  const std::size_t dots = text.find("..");
  try {
    if (dots != std::string::npos) {
      std::size_t used_low = 0;
      std::size_t used_high = 0;
      const std::string high_text = text.substr(dots + 2);
      const double low = std::stod(text.substr(0, dots), &used_low);
      const double high = std::stod(high_text, &used_high);
      if (used_low == dots && used_high == high_text.size() && std::isfinite(low) &&
          std::isfinite(high) && low < high) {
        return {RangeChoice::Kind::kFixed, low, high};
      }
    }
  } catch (const std::exception&) {
    // falls through to the message below
  }
  fail_usage("--range: expected shared, head or LOW..HIGH like 0..1, got '" + text + "'",
             spelling_hint(text, {"shared", "head"}));
}

}  // namespace mha::cli
