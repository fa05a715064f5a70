#include <cmath>
#include <optional>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/render/style.hpp"

#include "sizes.hpp"

namespace mha::render {
namespace {

constexpr double kSmallestArea = 0.02;
constexpr double kLargestArea = 30;
constexpr int kTries = 14;
constexpr double kSmallestText = 4 / 7.5;  // of the usual size: labels of 4 points

struct Fit {
  std::optional<PictureStyle> best;
  int least = 0;  // width of the smallest parts
};

// The largest parts with which the figure is no wider than it should be.
Fit largest_area(PictureStyle style, const std::function<int(const PictureStyle&)>& width_of) {
  const int wanted = style.min_width;
  style.min_width = 0;  // while measuring
  Fit fit;
  double low = kSmallestArea, high = kLargestArea;
  style.area = low;
  fit.least = width_of(style);
  if (fit.least > wanted) return fit;
  for (int i = 0; i < kTries; ++i) {
    style.area = std::sqrt(low * high);
    (width_of(style) <= wanted ? low : high) = style.area;
  }
  style.area = low;
  style.min_width = wanted;
  fit.best = style;
  return fit;
}

}  // namespace

PictureStyle fit_width(const PictureStyle& asked,
                       const std::function<int(const PictureStyle&)>& width_of) {
  if (asked.width_px == 0) return asked;
  PictureStyle style = asked;
  style.width_px = 0;
  style.min_width = asked.width_px;
  const double smallest = kSmallestText * asked.dpi / 144;
  int least = 0;
  while (style.text_scale >= smallest) {
    style.text_width = asked.width_px - 2 * Sizes(style).margin();
    const Fit fit = largest_area(style, width_of);
    if (fit.best) return *fit.best;
    least = fit.least;
    if (asked.has_fixed_text) break;
    style.text_scale *= 0.93;
  }
  const double mm = std::ceil(25.4 * least / asked.dpi);
  fail_usage(
      concat("--width: this figure does not fit; ",
             asked.has_fixed_text ? "at this size of text" : "even with labels of 4pt",
             " it needs ", mm, "mm"),
      asked.has_fixed_text ? "make --width larger or --font-size smaller" : "make --width larger");
}

}  // namespace mha::render
