// Columns of text, aligned.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mha::cli {

// Cells of a table; the first row is the head line. Text is set to the left, numbers to the right.
class TextTable {
 public:
  static constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);
  explicit TextTable(std::vector<bool> is_number, std::size_t colored_column = kNoColumn)
      : is_number_(std::move(is_number)), colored_column_(colored_column) {}

  // `color`, an escape code or "", is put around the cell of the coloured column.
  void add(std::vector<std::string> cells, const std::string& color = "");
  // Of the widest line.
  std::size_t width() const;
  void remove_column(std::size_t column);
  std::string text() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string color;
  };
  std::vector<std::size_t> column_widths() const;

  std::vector<bool> is_number_;
  std::size_t colored_column_;
  std::vector<Row> rows_;
};

}  // namespace mha::cli
