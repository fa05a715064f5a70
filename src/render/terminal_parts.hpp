// What the pictures for terminals are made of: cells, the line with the colour scale, notes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mha/render/figure.hpp"
#include "mha/render/terminal.hpp"

#include "legend.hpp"
#include "terminal_screen.hpp"

namespace mha::render {

// More lines than anything takes.
inline constexpr std::size_t kNoLimit = std::size_t{1} << 20;

// Steps of height that a line holds: halves of it, or whole lines where cells are characters.
std::size_t units_per_line(const TerminalStyle& style);

// Where cells go: the first one's corner and their size, in columns and units.
struct TerminalPlace {
  std::size_t column = 0;
  std::size_t unit = 0;
  std::size_t cell_width = 1;
  std::size_t cell_height = 1;
};

void paint_terminal_cells(TerminalScreen* screen, const CellGrid& cells, const ColorScale& colors,
                          const TerminalPlace& place, const TerminalStyle& style);
// Numbers in the cells that have room for them and are worth it.
void paint_terminal_numbers(TerminalScreen* screen, const CellGrid& cells, const ColorScale& colors,
                            const TerminalPlace& place, const TerminalStyle& style);

// A text as this terminal may have it: safe, and ASCII where it must be.
std::string shown(const std::string& text, const TerminalStyle& style);
std::string cut_to(const std::string& text, std::size_t columns, const TerminalStyle& style);

// The colour of a kind's name, light enough or dark enough to be read.
Rgb kind_ink(int kind, const TerminalStyle& style);

// Title, what the colours mean, and the caption, on as few lines as hold them.
struct TerminalHead {
  const PictureText& text;
  const ColorScale& colors;
  std::string value_name;
  CellKinds kinds;
};
// From `line` on; returns the line below.
std::size_t write_head(TerminalScreen* screen, const TerminalHead& head, std::size_t line,
                       const TerminalStyle& style);
std::size_t head_lines(const TerminalHead& head, const TerminalStyle& style);

// Notes, wrapped, from `line` on. Returns the line below.
std::size_t write_notes(TerminalScreen* screen, const std::vector<std::string>& notes,
                        std::size_t line, const TerminalStyle& style);
std::size_t note_lines(const std::vector<std::string>& notes, const TerminalStyle& style);

// "each cell shows the maximum of 3 x 3 tokens".
std::string pool_note(std::size_t pool, bool is_pooled_already);

}  // namespace mha::render
