#include "options.hpp"

#include <charconv>
#include <cmath>
#include <map>
#include <optional>

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

namespace {

constexpr double kPointsPerInch = 72;

struct Length {
  double number = 0;
  std::string unit;
  double points = 1;  // of the unit
};

// "85mm"; nullopt for what is no length.
std::optional<Length> parse_length(const std::string& text) {
  static const std::map<std::string, double> kUnits = {{"mm", kPointsPerInch / 25.4},
                                                       {"cm", kPointsPerInch / 2.54},
                                                       {"in", kPointsPerInch},
                                                       {"pt", 1}};
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const auto unit = kUnits.find(std::string(rest, end));
  if (error != std::errc() || unit == kUnits.end() || !std::isfinite(number)) return std::nullopt;
  return Length{number, unit->first, unit->second};
}

// In points, within [least, most].
double length_option(const char* flag, const std::string& text, double least, double most) {
  const std::optional<Length> length = parse_length(text);
  if (!length) {
    fail_usage(concat(flag, ": expected a length like 85mm, got '", text, "'"),
               "write a number and a unit without a space: mm, cm, in or pt");
  }
  const double points = length->number * length->points;
  if (points >= least && points <= most) return points;
  // In the unit that was asked for, rounded into the range.
  const auto in_unit = [&](double value, double (*round)(double)) {
    return concat(round(value / length->points * 10) / 10, length->unit);
  };
  fail_usage(concat(flag, ": ", text, " is too ", points < least ? "small" : "large",
                    "; expected a length from ",
                    in_unit(least, [](double x) { return std::ceil(x - 1e-6); }), " to ",
                    in_unit(most, [](double x) { return std::floor(x + 1e-6); })));
}

// What --width and --font-size ask for, in pixels of the picture's resolution.
void set_print_sizes(const PictureOptions& options, render::PictureStyle* style) {
  if (options.width.empty() && options.font_size.empty()) return;
  constexpr double kUsualDpi = 144;
  constexpr double kPrintDpi = 300;
  constexpr double kVectorDpi = 576;    // a fine grid for a layout in whole pixels
  constexpr double kUsualFont = 7.5;    // points: 15 px at 144 dots an inch
  constexpr double kBesideCells = 230;  // px at 144 dots an inch: labels and colour bar
  const bool is_vector = options.format == "svg" || options.format == "pdf";
  if (style->dpi == 0) {
    style->dpi = static_cast<int>(is_vector               ? kVectorDpi
                                  : options.width.empty() ? kUsualDpi
                                                          : kPrintDpi);
  }
  style->has_fixed_text = !options.font_size.empty();
  const double font =
      style->has_fixed_text ? length_option("--font-size", options.font_size, 3, 72) : kUsualFont;
  style->text_scale = font / kUsualFont * style->dpi / kUsualDpi;
  if (options.width.empty()) return;
  const double width = length_option("--width", options.width, 50, 3000) / kPointsPerInch;
  style->width_px = static_cast<int>(std::lround(width * style->dpi));
  const double cells = style->width_px - kBesideCells * style->text_scale;
  style->sure_size = static_cast<std::size_t>(std::max(cells, 16.0));
  const bool is_default = options.max_size == PictureOptions().max_size;
  const auto width_px = static_cast<std::size_t>(style->width_px);
  style->max_size = is_default ? width_px : std::min(width_px, options.max_size);
}

}  // namespace

render::PictureStyle picture_style(const PictureOptions& options) {
  render::PictureStyle style;
  style.cell_px = options.cell;
  style.max_size = options.max_size;
  style.labels = options.labels == "all"    ? render::LabelMode::kAll
                 : options.labels == "none" ? render::LabelMode::kNone
                                            : render::LabelMode::kAuto;
  style.dpi = options.dpi;
  set_print_sizes(options, &style);
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
