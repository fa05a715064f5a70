// A rectangle of terminal cells, each with a character or two half-height pixels.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mha/render/color.hpp"
#include "mha/render/terminal.hpp"

namespace mha::render {

// The nearest of xterm's 256 colours that do not depend on the user's settings: 16 to 255.
int nearest_of_256(Rgb color);

class TerminalScreen {
 public:
  // Grows downwards as it is drawn upon; what stands right of `columns` is clipped.
  explicit TerminalScreen(std::size_t columns) : columns_(columns) {}

  std::size_t columns() const { return columns_; }
  std::size_t lines() const { return cells_.size(); }
  void reach(std::size_t lines);

  // A pixel is one column wide and half a line high: `half` counts half lines.
  void pixel(std::size_t column, std::size_t half, Rgb color);
  // Text from `column` on; it covers pixels unless it keeps them as its background.
  // Returns the column after it.
  std::size_t text(std::size_t column, std::size_t line, std::string_view text,
                   std::optional<Rgb> color = std::nullopt);
  void text_on(std::size_t column, std::size_t line, std::string_view text, Rgb color,
               Rgb background);

  // One string for all lines, each ended by a newline; without colours nothing but the text.
  std::string render(const TerminalStyle& style) const;

 private:
  struct Cell {
    std::string text;           // empty: pixels, or nothing
    bool is_continued = false;  // the second column of a wide character
    bool is_sure = true;
    std::optional<Rgb> color;
    std::optional<Rgb> background;
    std::optional<Rgb> upper;
    std::optional<Rgb> lower;

    bool is_blank() const {
      const bool has_text = !text.empty() && (text != " " || background);
      return !has_text && !is_continued && !upper && !lower;
    }
  };
  class LineWriter;

  Cell& at(std::size_t column, std::size_t line);

  std::size_t columns_;
  std::vector<std::vector<Cell>> cells_;  // [line][column]
};

}  // namespace mha::render
