// Columns of text, aligned.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mha::cli {

// Cells of a table; the first row is the head line. Text is set to the left, numbers to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<bool> is_number) : is_number_(std::move(is_number)) {}

  // `color`, an escape code or "", is put around the cell of the coloured column.
  void add(std::vector<std::string> cells, const std::string& color = "");
  // Of the widest line.
  std::size_t width() const;
  void remove_column(std::size_t column);
  std::string text(std::size_t colored_column = static_cast<std::size_t>(-1)) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string color;
  };
  std::vector<std::size_t> column_widths() const;

  std::vector<bool> is_number_;
  std::vector<Row> rows_;
};

}  // namespace mha::cli
