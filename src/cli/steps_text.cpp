#include "steps_text.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"
#include "mha/render/formula.hpp"

#include "console.hpp"
#include "matrix_text.hpp"
#include "step_arithmetic.hpp"
#include "step_texts.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kIndent = 4;
constexpr std::size_t kMostRows = 16;
constexpr std::size_t kMostNumberRows = 10;

std::vector<std::string> names_of(const WalkedInput& input, const StepDim& dim) {
  if (dim.kind == StepDim::Kind::kQueries) return input.queries;
  if (dim.kind == StepDim::Kind::kKeys) return input.keys;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < dim.size; ++i) names.push_back(std::to_string(i));
  return names;
}

// Rows and columns that the pair and the head make important.
std::vector<std::size_t> marked_of(const WalkedHead& head, const Step& step, const StepDim& dim) {
  const TokenPair& pair = head.numbers.pair;
  if (dim.kind == StepDim::Kind::kKeys) return {pair.key};
  const bool is_input = step.kind == StepKind::kInput && !head.walk.shape.is_cross;
  if (dim.kind == StepDim::Kind::kQueries && is_input) return {pair.query, pair.key};
  if (dim.kind == StepDim::Kind::kQueries) return {pair.query};
  if (step.kind == StepKind::kKvHeads) {
    return {dim.name == "n_heads" ? head.walk.head : head.walk.kv_head()};
  }
  if (!dim.name.starts_with("n_heads·")) return {};
  std::vector<std::size_t> of_head;
  const std::size_t width = head.walk.layout.d_value;
  for (std::size_t c = 0; c < width; ++c) of_head.push_back(head.walk.head * width + c);
  return of_head;
}

// Of a weight matrix: the rows with the largest numbers, which say more than the first ones.
std::vector<std::size_t> largest_rows(const Matrix& values, std::size_t count) {
  std::vector<std::pair<float, std::size_t>> rows;
  for (std::size_t i = 0; i < values.rows(); ++i) {
    float largest = 0;
    for (const float value : values.view().row(i)) largest = std::max(largest, std::fabs(value));
    rows.emplace_back(-largest, i);
  }
  std::ranges::sort(rows);
  rows.resize(std::min(rows.size(), count));
  std::vector<std::size_t> out;
  for (const auto& [size, row] : rows) out.push_back(row);
  return out;
}

// Number, title, formula and shape, on one line where they fit.
std::string head_line(std::size_t number, const StepText& text, std::size_t columns) {
  const std::string title = concat(number < 10 ? " " : "", number, "  ", text.title);
  const std::string formula = render::plain_formula(text.formula);
  const std::string one = title + "    " + formula + "    " + step_shape(text) + "\n";
  if (count_code_points(one) <= columns + 1) return one;
  return title + "\n" + wrapped(formula, kIndent, columns) +
         wrapped(step_shape(text), kIndent, columns);
}

std::string step_block(const WalkedInput& input, const WalkedHead& head, std::size_t index,
                       std::size_t columns) {
  const Step& step = head.walk.steps[index];
  const StepText text = step_text(input, head, step);
  std::string out = head_line(index + 1, text, columns);
  out += wrapped(text.sentence, kIndent, columns) + "\n";
  MatrixText matrix;
  matrix.values = step.values.view();
  matrix.row_names = names_of(input, text.rows);
  matrix.col_names = names_of(input, text.cols);
  matrix.marked_rows = matrix.kept_rows = marked_of(head, step, text.rows);
  matrix.marked_cols = matrix.kept_cols = marked_of(head, step, text.cols);
  const bool has_tokens = text.rows.kind != StepDim::Kind::kNumbers;
  if (!has_tokens && matrix.marked_rows.empty())
    matrix.kept_rows = largest_rows(step.values, kMostNumberRows - 2);
  matrix.has_hidden = step.kind == StepKind::kMasked || step.kind == StepKind::kWeights;
  matrix.shown_cells = head.walk.allowed;
  out += matrix_text(matrix, columns, has_tokens ? kMostRows : kMostNumberRows) + "\n";
  const std::vector<std::string> worked = worked_lines(input, head, step.kind);
  for (const std::string& line : worked) out += wrapped("| " + line, kIndent, columns);
  return out + (worked.empty() ? "" : "\n");
}

}  // namespace

std::string steps_text(const WalkedInput& input, std::size_t columns) {
  std::string out;
  for (const WalkedHead& head : input.heads) {
    out += wrapped(head.name + " step by step, calculated with " + query_name(input, head) +
                       " and " + key_name(input, head),
                   0, columns) +
           "\n";
    for (std::size_t s = 0; s < head.walk.steps.size(); ++s) {
      out += step_block(input, head, s, columns);
    }
  }
  std::string safe;
  for (const std::string& line : split(out, '\n')) safe += printable(line) + "\n";
  safe.pop_back();  // split() gives an empty last line
  return safe;
}

}  // namespace mha::cli
