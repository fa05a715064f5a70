#include "terminal_screen.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "mha/base/text.hpp"
#include "mha/render/terminal_text.hpp"

namespace mha::render {
namespace {

constexpr std::array<int, 6> kCubeLevels = {0, 95, 135, 175, 215, 255};

Rgb color_of_256(int index) {
  constexpr int kFirstGrey = 232;
  if (index >= kFirstGrey) {
    const auto shade = static_cast<std::uint8_t>(8 + 10 * (index - kFirstGrey));
    return {shade, shade, shade};
  }
  const auto level = [](int i) {
    return static_cast<std::uint8_t>(kCubeLevels[static_cast<std::size_t>(i)]);
  };
  const int cube = index - 16;
  return {level(cube / 36), level(cube / 6 % 6), level(cube % 6)};
}

int color_distance(Rgb a, Rgb b) {
  const int dr = a.r - b.r;
  const int dg = a.g - b.g;
  const int db = a.b - b.b;
  // Eyes weigh channels about so; and lightness counts most, so that colour maps stay in order.
  const int light = (30 * dr + 59 * dg + 11 * db) / 100;
  return 3 * dr * dr + 4 * dg * dg + 2 * db * db + 12 * light * light;
}

std::string color_code(Rgb color, bool is_background, TerminalColors colors) {
  const char* plane = is_background ? "48" : "38";
  if (colors == TerminalColors::k256) return concat(plane, ";5;", nearest_of_256(color));
  return concat(plane, ";2;", int{color.r}, ";", int{color.g}, ";", int{color.b});
}

}  // namespace

int nearest_of_256(Rgb color) {
  constexpr int kFirst = 16;
  int best = kFirst;
  for (int i = kFirst + 1; i < 256; ++i) {
    if (color_distance(color, color_of_256(i)) < color_distance(color, color_of_256(best)))
      best = i;
  }
  return best;
}

TerminalScreen::Cell& TerminalScreen::at(std::size_t column, std::size_t line) {
  reach(line + 1);
  return cells_[line][column];
}

void TerminalScreen::reach(std::size_t lines) {
  while (cells_.size() < lines) cells_.emplace_back(columns_);
}

void TerminalScreen::pixel(std::size_t column, std::size_t half, Rgb color) {
  if (column >= columns_) return;
  Cell& cell = at(column, half / 2);
  (half % 2 == 0 ? cell.upper : cell.lower) = color;
}

std::size_t TerminalScreen::text(std::size_t column, std::size_t line, std::string_view text,
                                 std::optional<Rgb> color) {
  for (const Grapheme& cluster : graphemes(text)) {
    if (column + cluster.width > columns_) break;
    if (cluster.width == 0) continue;  // nothing to hold on to
    Cell cell;
    cell.text = cluster.text;
    cell.is_sure = cluster.is_sure;
    cell.color = color;
    at(column, line) = cell;
    for (std::size_t i = 1; i < cluster.width; ++i) {
      at(column + i, line) = {};
      at(column + i, line).is_continued = true;
    }
    column += cluster.width;
  }
  return column;
}

void TerminalScreen::text_on(std::size_t column, std::size_t line, std::string_view text, Rgb color,
                             Rgb background) {
  const std::size_t end = this->text(column, line, text, color);
  for (; column < end; ++column) at(column, line).background = background;
}

// Writes one line; colours are set where they change.
class TerminalScreen::LineWriter {
 public:
  LineWriter(const TerminalStyle& style, std::string* out) : colors_(style.colors), out_(out) {}

  void write(const std::vector<Cell>& cells) {
    std::size_t end = cells.size();
    while (end > 0 && cells[end - 1].is_blank()) --end;
    for (std::size_t column = 0; column < end; ++column) write(cells[column], column);
    set({}, {});
    *out_ += '\n';
  }

 private:
  void write(const Cell& cell, std::size_t column) {
    if (cell.is_continued) return;
    if (!cell.text.empty()) {
      resync(column);
      set(cell.color, cell.background);
      *out_ += cell.text;
      is_sure_ = cell.is_sure;
      return;
    }
    resync(column);
    if (cell.upper && cell.lower && *cell.upper == *cell.lower) {
      set(color_, cell.upper);
      *out_ += ' ';
    } else if (cell.upper) {
      set(cell.upper, cell.lower);
      *out_ += "\u2580";
    } else if (cell.lower) {
      set(cell.lower, {});
      *out_ += "\u2584";
    } else {
      set(color_, {});
      *out_ += ' ';
    }
  }

  // Terminals differ in the widths of some characters: behind one, the column is said.
  void resync(std::size_t column) {
    if (!is_sure_ && colors_ != TerminalColors::kNone) *out_ += concat("\033[", column + 1, "G");
    is_sure_ = true;
  }

  void set(std::optional<Rgb> color, std::optional<Rgb> background) {
    if (colors_ == TerminalColors::kNone || (color == color_ && background == background_)) return;
    std::string codes;
    const auto add = [&codes](const std::string& code) {
      codes += (codes.empty() ? "" : ";") + code;
    };
    const bool resets = (color_ && !color) || (background_ && !background);
    if (resets) add("0");
    if (color && (resets || color != color_)) add(color_code(*color, false, colors_));
    if (background && (resets || background != background_)) {
      add(color_code(*background, true, colors_));
    }
    *out_ += "\033[" + codes + "m";
    color_ = color;
    background_ = background;
  }

  const TerminalColors colors_;
  std::string* out_;
  std::optional<Rgb> color_;
  std::optional<Rgb> background_;
  bool is_sure_ = true;
};

std::string TerminalScreen::render(const TerminalStyle& style) const {
  std::string out;
  for (const std::vector<Cell>& line : cells_) LineWriter(style, &out).write(line);
  return out;
}

}  // namespace mha::render
