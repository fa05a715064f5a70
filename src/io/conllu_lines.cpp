#include "conllu_lines.hpp"

#include <algorithm>
#include <charconv>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

namespace mha {
namespace {

[[noreturn]] void fail_text(std::size_t line, std::size_t byte, const char* what) {
  fail_input(concat(line, ": ", what, " at byte ", byte + 1, " of the line; expected UTF-8 text"),
             "if this is UTF-16 or Latin-1, save it as UTF-8");
}

}  // namespace

void fail_conllu(std::size_t line, const std::string& what, const std::string& expected,
                 const std::string& got) {
  fail_input(concat(line, ": ", what, "; expected ", expected, ", got ", got));
}

void ConlluLine::check_text() const {
  const std::size_t zero = text.find('\0');
  const std::size_t bad = find_bad_utf8(text);
  if (bad < zero) fail_text(number, bad, "not UTF-8");
  if (zero != std::string_view::npos) fail_text(number, zero, "a zero byte");
}

ConlluColumns split_columns(const ConlluLine& line) {
  ConlluColumns columns;
  const auto n_columns = static_cast<std::size_t>(std::ranges::count(line.text, '\t')) + 1;
  if (n_columns != columns.size()) {
    fail_input(concat(line.number, ": the line has the wrong number of columns; expected ",
                      columns.size(), " with tabs between them, got ", n_columns),
               n_columns == 1 ? "a blank line is quite empty; columns need tabs, not spaces" : "");
  }
  std::string_view rest = line.text;
  for (std::string_view& column : columns) {
    const std::size_t end = std::min(rest.find('\t'), rest.size());
    column = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return columns;
}

ConlluId read_id(const ConlluLine& line, std::string_view text) {
  const std::size_t mark = text.find_first_of("-.");
  const bool is_word = mark == std::string_view::npos;
  const std::optional<std::size_t> first = read_number(text.substr(0, mark));
  const std::optional<std::size_t> second =
      is_word ? std::optional<std::size_t>(0) : read_number(text.substr(mark + 1));
  const bool is_empty_node = !is_word && text[mark] == '.';
  // 0.1 stands before the first word; nothing else is number 0.
  const bool has_zero = (first == 0 && !is_empty_node) || (second == 0 && !is_word);
  if (!first || !second || has_zero) {
    line.fail("this is not a word's number", "a number such as 8, 8-9 or 8.1", quoted(text));
  }
  const ConlluId::Kind kind = is_word         ? ConlluId::Kind::kWord
                              : is_empty_node ? ConlluId::Kind::kEmptyNode
                                              : ConlluId::Kind::kRange;
  return {kind, *first, *second, text};
}

std::optional<std::size_t> read_number(std::string_view text) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool is_padded = text.size() > 1 && text[0] == '0';
  if (error != std::errc() || stop != end || is_padded) return std::nullopt;
  return number;
}

bool has_space_after(const ConlluColumns& columns) {
  std::string_view rest = columns[kConlluMisc];
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    if (rest.substr(0, end) == "SpaceAfter=No") return false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;  // code points
  std::size_t offset = 0;
  for (std::size_t n = 0; n < kLongest && offset < text.size(); ++n) next_code_point(text, &offset);
  return concat("'", text.substr(0, offset), offset < text.size() ? "..." : "", "'");
}

}  // namespace mha
