#include "cell_painter.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/text.hpp"

namespace mha::render {
namespace {

constexpr double kSmallestNumber = 0.005;
constexpr std::size_t kLongestNumber = 4;
constexpr Rgb kInk = rgb(0x14181f);
constexpr Rgb kPaper = rgb(0xffffff);
constexpr Rgb kBlack = rgb(0x000000);
constexpr double kReadable = 4.5;   // contrast of text (WCAG 2.1, 1.4.3)
constexpr double kFaintInk = 0.55;  // of a number in a cell like zero, where that is readable
constexpr double kInkStep = 0.05;
constexpr double kFullInkAt = 0.25;  // difference of lightness from zero's where ink is full
constexpr double kSeparatorInk = 0.65;

// Of WCAG 2.1: 1 to 21.
double contrast(Rgb a, Rgb b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

std::vector<Rgb> cell_colors(const CellGrid& cells, const ColorScale& colors, const Theme& theme) {
  const Colormap& map = colormap_named(colors.colormap, theme.dark);
  const ValueScale shared(colors);
  std::vector<Rgb> out(cells.rows * cells.cols);
  for (std::size_t r = 0; r < cells.rows; ++r) {
    const std::size_t first = r * cells.cols;
    const std::span<const float> values(&cells.values[first], cells.cols);
    std::span<const CellState> states;
    if (!cells.states.empty()) states = {&cells.states[first], cells.cols};
    const ValueScale scale = colors.kind == ScaleKind::kRow ? row_scale(values, states) : shared;
    for (std::size_t c = 0; c < cells.cols; ++c) {
      out[first + c] = cell_color(values[c], cells.state(first + c), scale, map, theme);
    }
  }
  return out;
}

void hatch_rows(Canvas* canvas, const CellGrid& cells, const CellPlace& place,
                const PictureStyle& style) {
  if (cells.states.empty()) return;
  const Sizes sizes(style);
  for (std::size_t r = 0; r < cells.rows; ++r) {
    for (std::size_t c = 0; c < cells.cols; ++c) {
      if (cells.states[r * cells.cols + c] != CellState::kFullyMasked) continue;
      std::size_t end = c + 1;
      while (end < cells.cols && cells.states[r * cells.cols + end] == CellState::kFullyMasked) {
        ++end;
      }
      Rect rect = place.cell(r, c);
      rect.width = static_cast<int>(end - c) * place.cell_width - place.separator;
      hatch_masked(canvas, rect, style.theme, sizes);
      c = end;
    }
  }
}

double text_width(std::string_view text, const NumberGlyphs& numbers) {
  double width = 0;
  for (char c : text) width += numbers.of(c).advance;
  return width;
}

// `under` has the colour of each cell.
NumbersOp set_numbers(const CellGrid& cells, const std::vector<Rgb>& under, Rgb zero,
                      const CellLook& look) {
  NumbersOp out{look.numbers, {}};
  const NumberGlyphs& glyphs = *look.numbers;
  const double smallest = worth_writing(cells);
  for (std::size_t i = 0; i < cells.rows * cells.cols; ++i) {
    if (cells.state(i) != CellState::kValue) continue;
    if (std::fabs(static_cast<double>(cells.values[i])) < smallest) continue;
    const std::string text = cell_number(cells.values[i]);
    const Rect cell = look.place.cell(i / cells.cols, i % cells.cols);
    const double width = text_width(text, glyphs);
    if (text.empty() || width > cell.width) continue;
    NumbersOp::Number number;
    std::copy(text.begin(), text.end(), number.text.begin());
    number.x = cell.x + (cell.width - width) / 2;
    number.y = cell.y + static_cast<int>(std::lround((cell.height + glyphs.cap_height) / 2));
    number.color = number_color(under[i], zero);
    out.numbers.push_back(number);
  }
  return out;
}

}  // namespace

Rgb cell_color(float value, CellState state, const ValueScale& scale, const Colormap& map,
               const Theme& theme) {
  if (state == CellState::kMissing) return theme.missing;
  if (state != CellState::kValue) return theme.masked;
  if (!std::isfinite(value)) return theme.non_finite;
  return map[static_cast<std::size_t>(scale.position(value) * 255 + 0.5)];
}

Rgb number_color(Rgb cell, Rgb zero) {
  const double light = luminance(cell);
  Rgb ink = kInk;
  if (contrast(cell, kPaper) > contrast(cell, kBlack)) {
    ink = kPaper;
  } else if (contrast(cell, kInk) < kReadable) {
    ink = kBlack;
  }
  // Cube roots: what the eye sees as lightness (CIE 1976).
  const double away = std::fabs(std::cbrt(light) - std::cbrt(luminance(zero))) / kFullInkAt;
  const double steps = std::floor(std::min(away, 1.0) * 4) / 4;
  double weight = kFaintInk + (1 - kFaintInk) * steps;
  while (weight < 1 && contrast(cell, mix(cell, ink, weight)) < kReadable) weight += kInkStep;
  return mix(cell, ink, std::min(weight, 1.0));
}

double worth_writing(const CellGrid& cells) {
  double largest = 0;
  for (std::size_t i = 0; i < cells.values.size(); ++i) {
    const auto size = static_cast<double>(std::fabs(cells.values[i]));
    if (cells.state(i) == CellState::kValue && std::isfinite(size)) {
      largest = std::max(largest, size);
    }
  }
  return largest / 10;
}

std::shared_ptr<const NumberGlyphs> number_glyphs(int cell_width, int cell_height,
                                                  const Sizes& sizes, Typesetter& type) {
  const double px = std::clamp(0.29 * cell_width, 11.0 * sizes.scale, 17.0 * sizes.scale);
  const double width = type.width(".99", {.px = px});
  if (width + 5 * sizes.scale > cell_width || px * 1.3 > cell_height) return nullptr;
  auto numbers = std::make_shared<NumberGlyphs>();
  for (std::size_t i = 0; i < numbers->glyphs.size(); ++i) {
    numbers->glyphs[i] = type.set(NumberGlyphs::kCharacters.substr(i, 1), {.px = px});
  }
  numbers->cap_height = type.metrics(px).cap_height;
  return numbers;
}

std::string cell_number(float value) {
  const double size = std::fabs(value);
  if (!(size >= kSmallestNumber) || !std::isfinite(value)) return {};
  std::string text;
  if (size < 0.995) {
    text = fixed(value, 2);
    text.erase(text.find('0'), 1);
  } else if (size < 9.95) {
    text = fixed(value, 1);  // "1.0" is as wide as ".67" and as sure of its digits
  } else {
    text = fixed(value, 0);
  }
  return text.size() <= kLongestNumber ? text : std::string();
}

int separator_for(int cell_px, const Sizes& sizes) {
  if (cell_px < sizes.px(13)) return 0;
  return cell_px < sizes.px(40) ? sizes.stroke() : sizes.px(1.5);
}

void hatch_masked(Canvas* canvas, const Rect& rect, const Theme& theme, const Sizes& sizes) {
  canvas->hatch(rect, sizes.px(7), std::max(sizes.px(1.5), 1), theme.hatch);
}

void paint_cells(Canvas* canvas, const CellGrid& cells, const ColorScale& colors,
                 const CellLook& look, const PictureStyle& style) {
  const Theme& theme = style.theme;
  std::vector<Rgb> filled = cell_colors(cells, colors, theme);
  NumbersOp numbers;
  const Rect first = look.place.cell(0, 0);
  const bool fits =
      look.numbers && !(is_diverging(colors) && text_width("-.88", *look.numbers) > first.width);
  if (fits) numbers = set_numbers(cells, filled, zero_color(colors, theme.dark), look);
  const Rgb line = mix(theme.background, theme.line, kSeparatorInk);
  canvas->cells({look.place, cells.rows, cells.cols, std::move(filled), line});
  hatch_rows(canvas, cells, look.place, style);
  canvas->numbers(std::move(numbers));
}

}  // namespace mha::render
