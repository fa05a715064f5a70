// Marks and title of the colour bar.
#include <algorithm>
#include <cmath>

#include "mha/base/text.hpp"
#include "mha/render/colormap.hpp"

namespace mha::render {
namespace {

// 1, 2 or 5 times a power of ten, at least `rough`.
double round_step(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

// Shortest text: "0.2", "1", "0.0001", "-3", "2e-07".
std::string tick_text(double value) {
  std::ostringstream out;
  out.precision(6);
  const double size = std::fabs(value);
  if (size != 0 && size < 1e-4 * (1 - 1e-9)) return (out << value, out.str());
  std::string text = fixed(value, 6);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

// Adds a tick unless one is nearer than `gap` or it lies outside of the scale.
void add_tick(std::vector<Tick>* ticks, const ValueScale& scale, double value, double gap) {
  const double slack = 1e-9 * (scale.high() - scale.low());
  if (value < scale.low() - slack || value > scale.high() + slack) return;
  const double position = scale.position(value);
  for (const Tick& tick : *ticks) {
    if (std::fabs(tick.position - position) < gap) return;
  }
  ticks->push_back({position, with_minus(tick_text(value))});
}

void add_linear_ticks(std::vector<Tick>* ticks, const ValueScale& scale, double step, double gap) {
  const double first = std::ceil(scale.low() / step - 1e-9);
  for (double i = first; i * step <= scale.high() + 1e-9 * step; ++i) {
    add_tick(ticks, scale, i * step, gap);
  }
}

// 1, 2, 5 times powers of ten, from the largest down to 1e-4 of it.
void add_decade_ticks(std::vector<Tick>* ticks, const ValueScale& scale, double gap) {
  const double top = std::pow(10.0, std::floor(std::log10(scale.high()) + 1e-9));
  for (double power = top; power >= scale.high() * 0.99e-5; power /= 10) {
    for (double factor : {5.0, 2.0, 1.0}) add_tick(ticks, scale, factor * power, gap);
  }
}

std::vector<Tick> log_ticks(const ValueScale& scale, double gap) {
  std::vector<Tick> ticks;
  for (double power = std::pow(10.0, std::ceil(std::log10(scale.low()) - 1e-9));
       power <= scale.high() * (1 + 1e-9); power *= 10) {
    add_tick(&ticks, scale, power, gap);
  }
  add_tick(&ticks, scale, scale.low(), gap / 2);
  add_decade_ticks(&ticks, scale, gap);
  return ticks;
}

}  // namespace

std::vector<Tick> round_ticks(const ColorScale& colors, std::size_t max_ticks) {
  ColorScale shown = colors;
  if (colors.kind == ScaleKind::kRow) shown = {.colormap = {}, .low = 0, .high = 1};
  const ValueScale scale(shown);
  const double n = static_cast<double>(std::max<std::size_t>(max_ticks, 2));
  const double gap = 1 / n;
  std::vector<Tick> ticks;
  if (shown.kind == ScaleKind::kLog && scale.low() > 0) {
    ticks = log_ticks(scale, gap);
  } else if (shown.kind == ScaleKind::kSqrt && scale.low() == 0) {
    add_tick(&ticks, scale, 0, gap);
    add_decade_ticks(&ticks, scale, gap);
    add_linear_ticks(&ticks, scale, round_step(scale.high() / n), gap);
  } else {
    add_linear_ticks(&ticks, scale, round_step((scale.high() - scale.low()) / n), 0);
  }
  std::sort(ticks.begin(), ticks.end(),
            [](const Tick& a, const Tick& b) { return a.position < b.position; });
  for (Tick& tick : ticks) {
    const bool is_positive = scale.value(tick.position) > 0 && tick.text != "0";
    if (is_diverging(colors) && is_positive) tick.text.insert(0, "+");
  }
  if (shown.kind == ScaleKind::kLog && !ticks.empty() && ticks[0].position < 1e-9) {
    ticks[0].text = "≤ " + ticks[0].text;
  }
  return ticks;
}

std::vector<Tick> axis_ticks(double low, double high, double least_step) {
  std::vector<Tick> ticks;
  const ValueScale scale({.colormap = {}, .low = low, .high = high});
  add_linear_ticks(&ticks, scale, round_step(least_step), 0);
  return ticks;
}

std::string scale_title(const std::string& value_name, const ColorScale& colors) {
  if (colors.kind == ScaleKind::kLinear) return value_name;
  if (colors.kind == ScaleKind::kRow) return value_name + " / row maximum";
  return concat(value_name, ", ", scale_name(colors.kind), " scale");
}

}  // namespace mha::render
