// A table fitted to the columns that are left.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mha/render/terminal.hpp"

#include "terminal_screen.hpp"

namespace mha::render {

struct TablePlan {
  std::vector<std::size_t> columns;  // indices of those that stay
  std::vector<std::size_t> widths;   // of these
  std::size_t width = 0;             // of a line
};

// Leaves out columns by rank until a line fits into `room`; then the widest text column is cut.
// Nothing where even that does not fit.
std::optional<TablePlan> fit_table(const TerminalTable& table, std::size_t room,
                                   const TerminalStyle& style);

// Rows [first, end) below a line of names, with the corner at (column, line).
void write_table(TerminalScreen* screen, const TerminalTable& table, const TablePlan& plan,
                 std::size_t first, std::size_t end, std::size_t column, std::size_t line,
                 const TerminalStyle& style);

}  // namespace mha::render
