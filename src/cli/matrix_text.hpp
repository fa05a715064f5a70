// A matrix as aligned lines of text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mha/tensor/matrix.hpp"

namespace mha::cli {

struct MatrixText {
  ConstMatrix values;
  std::vector<std::string> row_names;  // one a row
  std::vector<std::string> col_names;  // one a column
  std::vector<std::size_t> kept_rows;  // shown whatever else is left out
  std::vector<std::size_t> kept_cols;
  std::vector<std::size_t> marked_rows;  // ">" before their names
  std::vector<std::size_t> marked_cols;
  bool has_hidden = false;                // minus infinity and 0 in `hidden` are shown as "·"
  std::vector<std::uint8_t> shown_cells;  // with has_hidden: 0 = hidden (rows, cols)
};

// Rows and columns from the middle are left out ("…") where there are more than `max_rows`, or
// where lines would be wider than `width`.
std::string matrix_text(const MatrixText& matrix, std::size_t width, std::size_t max_rows);

// `text` in lines of at most `width`, each after `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

}  // namespace mha::cli
