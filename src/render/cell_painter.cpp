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
// Cells darker than this get white numbers. (Black and white contrast equally at 0.18; on middle
// blues and greens white reads better than that says.)
constexpr double kDarkCell = 0.26;
constexpr double kFaintInk = 0.55;   // of a number in a cell like zero
constexpr double kFullInkAt = 0.25;  // difference of lightness from zero's where ink is full
constexpr double kSeparatorInk = 0.65;

void put(std::uint8_t* pixel, Rgb color) {
  pixel[0] = color.r;
  pixel[1] = color.g;
  pixel[2] = color.b;
}

// The first pixel line of one row of cells, `line` between them.
void paint_row(std::uint8_t* pixel, const std::vector<Rgb>& colors, const CellPlace& place,
               Rgb line) {
  const int filled = place.cell_width - place.separator;
  for (const Rgb& color : colors) {
    for (int i = 0; i < place.cell_width; ++i, pixel += 3) put(pixel, i < filled ? color : line);
  }
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

double text_width(const std::string& text, const NumberGlyphs& numbers) {
  double width = 0;
  for (char c : text) width += numbers.glyphs[std::string_view("0123456789.-").find(c)].advance;
  return width;
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
  // Cube roots: what the eye sees as lightness (CIE 1976).
  const double away = std::fabs(std::cbrt(light) - std::cbrt(luminance(zero))) / kFullInkAt;
  const double steps = std::floor(std::min(away, 1.0) * 4) / 4;
  return mix(cell, light < kDarkCell ? kPaper : kInk, kFaintInk + (1 - kFaintInk) * steps);
}

NumberGlyphs number_glyphs(int cell_width, int cell_height, const Sizes& sizes, Typesetter& type) {
  NumberGlyphs numbers;
  const double px = std::clamp(0.29 * cell_width, 11.0 * sizes.scale, 17.0 * sizes.scale);
  const double width = type.width(".99", {.px = px});
  numbers.usable = width + 5 * sizes.scale <= cell_width && px * 1.3 <= cell_height;
  if (!numbers.usable) return numbers;
  constexpr std::string_view kCharacters = "0123456789.-";
  for (std::size_t i = 0; i < kCharacters.size(); ++i) {
    numbers.glyphs[i] = type.set(kCharacters.substr(i, 1), {.px = px});
  }
  numbers.cap_height = type.metrics(px).cap_height;
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
    text = fixed(value, 1);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
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
                 const CellPlace& place, const PictureStyle& style) {
  const Theme& theme = style.theme;
  const Colormap& map = colormap_named(colors.colormap, theme.dark);
  const ValueScale shared(colors);
  const Rgb line = mix(theme.background, theme.line, kSeparatorInk);
  std::vector<Rgb> row(cells.cols);
  const std::size_t bytes = 3 * cells.cols * static_cast<std::size_t>(place.cell_width);
  for (std::size_t r = 0; r < cells.rows; ++r) {
    const std::span<const float> values(&cells.values[r * cells.cols], cells.cols);
    std::span<const CellState> states;
    if (!cells.states.empty()) states = {&cells.states[r * cells.cols], cells.cols};
    const ValueScale scale = colors.kind == ScaleKind::kRow ? row_scale(values, states) : shared;
    for (std::size_t c = 0; c < cells.cols; ++c) {
      row[c] = cell_color(values[c], cells.state(r * cells.cols + c), scale, map, theme);
    }
    const int y = place.y + static_cast<int>(r) * place.cell_height;
    std::uint8_t* first = canvas->image().at(place.x, y);
    paint_row(first, row, place, line);
    for (int i = 1; i < place.cell_height - place.separator; ++i) {
      std::copy_n(first, bytes, canvas->image().at(place.x, y + i));
    }
    const int bottom = y + place.cell_height - place.separator;
    canvas->fill(
        {place.x, bottom, static_cast<int>(cells.cols) * place.cell_width, place.separator}, line);
  }
  hatch_rows(canvas, cells, place, style);
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

NumberInk::NumberInk(const ColorScale& colors, const Theme& theme)
    : zero(zero_color(colors, theme.dark)), has_signs(is_diverging(colors)) {}

void paint_numbers(Canvas* canvas, const CellGrid& cells, const NumberInk& ink,
                   const CellPlace& place, const NumberGlyphs& numbers) {
  if (!numbers.usable) return;
  if (ink.has_signs && text_width("-.88", numbers) > place.cell(0, 0).width) return;
  const double smallest = worth_writing(cells);
  for (std::size_t i = 0; i < cells.rows * cells.cols; ++i) {
    if (cells.state(i) != CellState::kValue) continue;
    if (std::fabs(static_cast<double>(cells.values[i])) < smallest) continue;
    const std::string text = cell_number(cells.values[i]);
    const Rect cell = place.cell(i / cells.cols, i % cells.cols);
    const double width = text_width(text, numbers);
    if (text.empty() || width > cell.width) continue;
    const Rgb under = canvas->image().pixel(cell.x, cell.y);
    const Rgb color = number_color(under, ink.zero);
    double x = cell.x + (cell.width - width) / 2;
    const int y = cell.y + static_cast<int>(std::lround((cell.height + numbers.cap_height) / 2));
    for (char c : text) {
      const TextBitmap& glyph = numbers.glyphs[std::string_view("0123456789.-").find(c)];
      canvas->text(glyph, static_cast<int>(std::lround(x)), y, color);
      x += glyph.advance;
    }
  }
}

}  // namespace mha::render
