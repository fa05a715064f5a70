// Figures as lines of text for a terminal: two cells a character by half blocks in true colour or
// in 256 colours, or plain characters.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mha/render/figure.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

enum class TerminalColors {
  kNone,  // cells are characters of ASCII, and there is not one escape code
  k256,
  kTrue,
};

struct TerminalStyle {
  std::size_t columns = 80;  // no line is longer
  std::size_t lines = 24;    // a picture takes no more where it can be helped; 0: any number
  bool is_strict = false;    // notes that find no room are left out, not put above the picture
  TerminalColors colors = TerminalColors::kNone;
  bool unicode = true;  // without: labels are ASCII, too
  Theme theme = dark_theme();
};

// What stands beside or below a contact sheet: a line for each head.
struct TerminalTable {
  struct Column {
    std::string name;
    bool is_number = false;
    bool is_colored = false;  // in the colour of the row's kind
    int rank = 0;             // 0 stays; where there is no room the highest rank goes first
  };
  struct Row {
    std::vector<std::string> cells;
    int kind = -1;  // index into GridFigure::kinds
  };
  std::vector<Column> columns;
  std::vector<Row> rows;
};

// How many tokens each way must share a cell so that the figure fits; only the sizes of the cells
// and the labels matter. A figure with larger cells than that is pooled by maximum when it is
// drawn, and a note says so.
std::size_t terminal_pool(const HeatmapFigure& figure, const TerminalStyle& style);
std::size_t terminal_pool(const GridFigure& figure, const TerminalStyle& style);

// Lines that end in newlines; no longer than style.columns, and whatever the texts hold, no control
// code but the colours of the style (and, behind characters whose width terminals dispute, the
// column to go on at).
std::string draw_terminal(const HeatmapFigure& figure, const TerminalStyle& style);
std::string draw_terminal(const GridFigure& figure, const TerminalTable& table,
                          const TerminalStyle& style);

}  // namespace mha::render
