#include "matrix_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

#include "step_arithmetic.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kLongestRowName = 14;
constexpr std::size_t kLongestColName = 9;

// An index, or a gap where some are left out.
using Shown = std::vector<std::optional<std::size_t>>;

std::string cut(const std::string& text, std::size_t most) {
  if (count_code_points(text) <= most) return text;
  std::size_t offset = 0;
  for (std::size_t i = 0; i + 1 < most; ++i) next_code_point(text, &offset);
  return text.substr(0, offset) + "…";
}

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
  const std::size_t length = count_code_points(text);
  const std::string spaces(width > length ? width - length : 0, ' ');
  return to_the_right ? spaces + text : text + spaces;
}

// `most` of `count` indices: those that must stay, and otherwise the first ones and the last.
Shown choose(std::size_t count, std::size_t most, const std::vector<std::size_t>& kept) {
  std::vector<bool> is_shown(count, count <= most);
  if (count > most) {
    std::size_t left = most;
    const auto show = [&](std::size_t i) {
      if (left == 0 || is_shown[i]) return;
      is_shown[i] = true;
      --left;
    };
    for (std::size_t i : kept) show(i);
    show(count - 1);
    for (std::size_t i = 0; i < count; ++i) show(i);
  }
  Shown out;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_shown[i]) {
      out.emplace_back(i);
    } else if (i == 0 || is_shown[i - 1]) {
      out.emplace_back(std::nullopt);
    }
  }
  return out;
}

bool contains(const std::vector<std::size_t>& list, std::size_t value) {
  return std::ranges::find(list, value) != list.end();
}

// Digits after the point that tell the numbers apart.
int digits_for(ConstMatrix values) {
  float largest = 0;
  for (std::size_t i = 0; i < values.rows; ++i) {
    for (const float value : values.row(i)) {
      if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    }
  }
  return largest >= 0.1F ? 2 : largest >= 0.01F ? 3 : 4;
}

std::string cell_text(const MatrixText& m, std::size_t i, std::size_t j, int digits) {
  if (m.has_hidden && m.shown_cells[i * m.values.cols + j] == 0) return "·";
  const auto value = static_cast<double>(m.values(i, j));
  if (value == 0) return "0";
  const double size = std::fabs(value);
  if (!std::isfinite(value) || size >= 1000) return short_number(value);
  const std::string text = fixed(size, digits);
  const bool shows_zero = text.find_first_not_of("0.") == std::string::npos;
  return (value < 0 && !shows_zero ? "\u2212" : "") + text;
}

class Writer {
 public:
  Writer(const MatrixText& matrix, std::size_t width, std::size_t max_rows)
      : m_(matrix),
        digits_(digits_for(matrix.values)),
        rows_(choose(matrix.values.rows, max_rows, matrix.kept_rows)) {
    for (const auto& row : rows_) {
      if (row) name_width_ = std::max(name_width_, count_code_points(row_name(*row)));
    }
    cell_width_ = 4;
    for (std::size_t j = 0; j < m_.values.cols; ++j) {
      cell_width_ = std::max(cell_width_, count_code_points(col_name(j)));
      for (const auto& row : rows_) {
        if (row)
          cell_width_ = std::max(cell_width_, count_code_points(cell_text(m_, *row, j, digits_)));
      }
    }
    const std::size_t room = width > name_width_ ? width - name_width_ : 0;
    std::size_t most = std::max<std::size_t>(room / (cell_width_ + 2), 2);
    // Gaps take a column's place, too.
    while (most > 2 && choose(m_.values.cols, most, m_.kept_cols).size() * (cell_width_ + 2) > room)
      --most;
    cols_ = choose(m_.values.cols, most, m_.kept_cols);
  }

  std::string text() const {
    std::string out = line("", [this](std::size_t j) { return col_name(j); });
    for (const auto& row : rows_) {
      if (!row) {
        out += "  …\n";
        continue;
      }
      out += line(row_name(*row), [&](std::size_t j) { return cell_text(m_, *row, j, digits_); });
    }
    return out;
  }

 private:
  std::string row_name(std::size_t i) const {
    return (contains(m_.marked_rows, i) ? "> " : "  ") + cut(m_.row_names[i], kLongestRowName);
  }
  std::string col_name(std::size_t j) const {
    return (contains(m_.marked_cols, j) ? ">" : "") + cut(m_.col_names[j], kLongestColName);
  }

  template <typename Cell>
  std::string line(const std::string& name, const Cell& cell) const {
    std::string out = padded(name, name_width_, false);
    for (const auto& col : cols_) out += "  " + padded(col ? cell(*col) : "…", cell_width_, true);
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
  }

  const MatrixText& m_;
  const int digits_;
  Shown rows_;
  Shown cols_;
  std::size_t name_width_ = 0;
  std::size_t cell_width_ = 0;
};

}  // namespace

std::string matrix_text(const MatrixText& matrix, std::size_t width, std::size_t max_rows) {
  return Writer(matrix, width, max_rows).text();
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
  std::string out;
  std::string line;
  const auto end_line = [&] {
    out += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  for (std::string word; words >> word;) {
    const std::size_t length = count_code_points(line) + 1 + count_code_points(word);
    if (!line.empty() && indent + length > width) end_line();
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) end_line();
  return out;
}

}  // namespace mha::cli
