// How the panels of a contact sheet are laid out in a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mha/render/figure.hpp"
#include "mha/render/terminal.hpp"

namespace mha::render {

// One head of the sheet and what it is called there.
struct SheetHead {
  std::size_t panel = 0;  // index into GridFigure::panels
  std::size_t layer = 0;  // index into GridFigure::row_names
  std::string row_name;   // "L2"
  std::string col_name;   // "H5", or the whole name where columns have none
  std::string label;      // "next token"
};

enum class SheetKind {
  kLabelled,  // a layer a row (or a few), name and label above each head
  kPlain,     // a layer a row, names of heads above the first row
  kFlow,      // one head after the other, its name to the left of it
};

struct SheetPlan {
  SheetKind kind = SheetKind::kFlow;
  std::size_t pool = 1;  // cells of the figure for one that is drawn, each way
  std::size_t cell_width = 1;
  std::size_t cell_height = 1;   // units
  std::size_t panel_width = 1;   // columns
  std::size_t panel_height = 1;  // units
  std::size_t gutter = 0;        // columns in front of a row, or of each panel in a flow
  std::size_t gap = 1;           // columns between panels
  std::size_t pitch = 1;         // units from one row of panels to the next
  std::size_t per_row = 1;       // panels side by side
  std::size_t width = 0;         // of all, columns
  std::size_t units = 0;         // of all, with the names above
};

// The heads of a figure in order.
std::vector<SheetHead> heads_of(const GridFigure& figure);

// The plan with the least pooling, then the best names, then the largest cells that keeps within
// style.columns and `lines`; what cannot be shown in so few lines takes more.
SheetPlan plan_sheet(const GridFigure& figure, const std::vector<SheetHead>& heads,
                     std::size_t lines, const TerminalStyle& style);

// Where panel number `i` (of heads_of) goes: column and unit of its first cell.
struct SheetPlace {
  std::size_t column = 0;
  std::size_t unit = 0;
};
std::vector<SheetPlace> place_panels(const SheetPlan& plan, const std::vector<SheetHead>& heads,
                                     const TerminalStyle& style);

}  // namespace mha::render
