#include "mha/render/colormap.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha::render {
namespace {

#include "colormap_tables.inc"

constexpr Colormap reversed(const Colormap& map) {
  Colormap out{};
  for (std::size_t i = 0; i < map.size(); ++i) out[i] = map[map.size() - 1 - i];
  return out;
}

constexpr Colormap kBluesOnDark = reversed(kBlues);
constexpr Colormap kGreysOnDark = reversed(kGreys);

constexpr std::string_view kDivergingName = "diverging";

// Smallest part of the largest value that a log scale still tells apart.
constexpr double kLogSpan = 1e-4;

bool is_value(std::span<const CellState> states, std::size_t i) {
  return states.empty() || states[i] == CellState::kValue;
}

}  // namespace

const std::vector<std::string>& colormap_names() {
  static const std::vector<std::string> kNames = {"viridis", "cividis", "magma", "blues", "greys"};
  return kNames;
}

const Colormap& colormap_named(std::string_view name, bool dark) {
  if (name == "viridis") return kViridis;
  if (name == "cividis") return kCividis;
  if (name == "magma" || (name.empty() && dark)) return kMagma;
  if (name == "blues" || name.empty()) return dark ? kBluesOnDark : kBlues;
  if (name == "greys") return dark ? kGreysOnDark : kGreys;
  if (name == kDivergingName) return dark ? kDivergingOnDark : kDiverging;
  fail_usage(concat("unknown colour map '", name, "'; expected ", join(colormap_names(), ", ")),
             spelling_hint(name, colormap_names()));
}

ColorScale symmetric_scale(double largest) {
  const double end = largest > 0 && std::isfinite(largest) ? largest : 1;
  return {.colormap = std::string(kDivergingName), .low = -end, .high = end};
}

bool is_diverging(const ColorScale& colors) {
  return colors.colormap == kDivergingName;
}

Rgb zero_color(const ColorScale& colors, bool dark) {
  const Colormap& map = colormap_named(colors.colormap, dark);
  return is_diverging(colors) ? map[map.size() / 2] : map.front();
}

const std::vector<std::string>& scale_names() {
  static const std::vector<std::string> kNames = {"linear", "sqrt", "log", "row"};
  return kNames;
}

ScaleKind scale_named(std::string_view name) {
  const auto& names = scale_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<ScaleKind>(found - names.begin());
  fail_usage(concat("unknown colour scale '", name, "'; expected ", join(names, ", ")),
             spelling_hint(name, names));
}

std::string_view scale_name(ScaleKind kind) {
  return scale_names()[static_cast<std::size_t>(kind)];
}

ValueScale::ValueScale(const ColorScale& colors)
    : kind_(colors.kind), low_(colors.low), high_(colors.high) {
  if (!std::isfinite(low_) || !std::isfinite(high_)) low_ = 0, high_ = 1;
  if (!(low_ < high_)) {
    low_ = std::min(high_, 0.0);
    high_ = std::max(high_, 0.0);
    if (low_ == high_) high_ = 1;
  }
  if (kind_ == ScaleKind::kLog && high_ <= 0) kind_ = ScaleKind::kLinear;
  if (kind_ == ScaleKind::kLog) low_ = std::max(low_, high_ * kLogSpan);
  if (kind_ == ScaleKind::kRow) kind_ = ScaleKind::kLinear;
}

double ValueScale::position(double value) const {
  if (!(value > low_)) return 0;
  if (value >= high_) return 1;
  if (kind_ == ScaleKind::kLog) return std::log(value / low_) / std::log(high_ / low_);
  const double part = (value - low_) / (high_ - low_);
  return kind_ == ScaleKind::kSqrt ? std::sqrt(part) : part;
}

double ValueScale::value(double position) const {
  if (kind_ == ScaleKind::kLog) return low_ * std::pow(high_ / low_, position);
  const double part = kind_ == ScaleKind::kSqrt ? position * position : position;
  return low_ + part * (high_ - low_);
}

ValueScale row_scale(std::span<const float> values, std::span<const CellState> states) {
  double low = 0;
  double high = -HUGE_VAL;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_value(states, i) || !std::isfinite(values[i])) continue;
    low = std::min<double>(low, values[i]);
    high = std::max<double>(high, values[i]);
  }
  return ValueScale({.colormap = {}, .kind = ScaleKind::kLinear, .low = low, .high = high});
}

}  // namespace mha::render
