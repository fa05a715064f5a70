#include "text_table.hpp"

#include <algorithm>
#include <string_view>

#include "mha/base/utf8.hpp"

#include "console.hpp"

namespace mha::cli {
namespace {

constexpr std::string_view kGap = "  ";

}  // namespace

void TextTable::add(std::vector<std::string> cells, const std::string& color) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells), color});
}

std::vector<std::size_t> TextTable::column_widths() const {
  std::vector<std::size_t> widths(is_number_.size());
  for (const Row& row : rows_) {
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      widths[c] = std::max(widths[c], count_code_points(row.cells[c]));
    }
  }
  return widths;
}

std::size_t TextTable::width() const {
  std::size_t sum = 0;
  for (const std::size_t width : column_widths()) {
    if (width > 0) sum += width + (sum > 0 ? kGap.size() : 0);
  }
  return sum;
}

void TextTable::remove_column(std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  is_number_.erase(is_number_.begin() + at);
  if (column == colored_column_) {
    colored_column_ = kNoColumn;
  } else if (colored_column_ != kNoColumn && column < colored_column_) {
    --colored_column_;
  }
  for (Row& row : rows_) {
    if (column < row.cells.size()) row.cells.erase(row.cells.begin() + at);
  }
}

std::string TextTable::text() const {
  constexpr const char* kReset = "\033[0m";
  const std::vector<std::size_t> widths = column_widths();
  std::string out;
  for (const Row& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const std::string padding(widths[c] - count_code_points(row.cells[c]), ' ');
      const bool is_colored = c == colored_column_ && !row.color.empty();
      const std::string cell = is_colored ? row.color + row.cells[c] + kReset : row.cells[c];
      line += is_number_[c] ? padding + cell : cell + padding;
      line += kGap;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace mha::cli
