#include "terminal_table.hpp"

#include <algorithm>

#include "mha/render/terminal_text.hpp"

#include "terminal_parts.hpp"

namespace mha::render {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kShortestText = 12;  // a text column is not cut below this

std::size_t width_of_column(const TerminalTable& table, std::size_t c, const TerminalStyle& style) {
  std::size_t width = terminal_width(shown(table.columns[c].name, style));
  for (const TerminalTable::Row& row : table.rows) {
    width = std::max(width, terminal_width(shown(row.cells[c], style)));
  }
  return width;
}

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t sum = widths.empty() ? 0 : kGap * (widths.size() - 1);
  for (const std::size_t width : widths) sum += width;
  return sum;
}

}  // namespace

std::optional<TablePlan> fit_table(const TerminalTable& table, std::size_t room,
                                   const TerminalStyle& style) {
  TablePlan plan;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    plan.columns.push_back(c);
    plan.widths.push_back(width_of_column(table, c, style));
  }
  const auto rank = [&](std::size_t i) { return table.columns[plan.columns[i]].rank; };
  while (total(plan.widths) > room) {
    std::size_t last = 0;
    for (std::size_t i = 1; i < plan.columns.size(); ++i) {
      if (rank(i) >= rank(last)) last = i;
    }
    if (plan.columns.empty() || rank(last) == 0) break;
    plan.columns.erase(plan.columns.begin() + static_cast<std::ptrdiff_t>(last));
    plan.widths.erase(plan.widths.begin() + static_cast<std::ptrdiff_t>(last));
  }
  const auto widest = std::ranges::max_element(plan.widths);
  const std::size_t wide = total(plan.widths);
  if (wide > room && widest != plan.widths.end()) {
    const std::size_t over = wide - room;
    if (*widest < over + kShortestText) return std::nullopt;
    *widest -= over;
  }
  plan.width = total(plan.widths);
  return plan;
}

void write_table(TerminalScreen* screen, const TerminalTable& table, const TablePlan& plan,
                 std::size_t first, std::size_t end, std::size_t column, std::size_t line,
                 const TerminalStyle& style) {
  std::size_t x = column;
  for (std::size_t i = 0; i < plan.columns.size(); ++i) {
    const TerminalTable::Column& info = table.columns[plan.columns[i]];
    const auto write = [&](const std::string& text, std::size_t at, Rgb color) {
      const std::string cut = cut_to(text, plan.widths[i], style);
      screen->text(x, at, padded_to(cut, plan.widths[i], info.is_number), color);
    };
    write(info.name, line, style.theme.muted);
    for (std::size_t r = first; r < end; ++r) {
      const TerminalTable::Row& row = table.rows[r];
      const Rgb color = info.is_colored ? kind_ink(row.kind, style) : style.theme.foreground;
      write(row.cells[plan.columns[i]], line + 1 + r - first, color);
    }
    x += plan.widths[i] + kGap;
  }
}

}  // namespace mha::render
