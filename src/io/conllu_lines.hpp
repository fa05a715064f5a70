// Single lines of CoNLL-U: columns, word numbers, and the messages about them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mha {

// The columns that are read, of the ten that there are.
enum ConlluColumn : std::size_t {
  kConlluId = 0,
  kConlluForm = 1,
  kConlluUpos = 3,
  kConlluHead = 6,
  kConlluDeprel = 7,
  kConlluMisc = 9,
};
using ConlluColumns = std::array<std::string_view, 10>;

// Throws Error(kInput) "LINE: what; expected X, got Y".
[[noreturn]] void fail_conllu(std::size_t line, const std::string& what,
                              const std::string& expected, const std::string& got);

// A line that is not blank, without its end.
struct ConlluLine {
  std::string_view text;
  std::size_t number = 0;

  bool is_comment() const { return text.starts_with('#'); }
  // Throws Error(kInput) unless the line is UTF-8 without zero bytes.
  void check_text() const;
  [[noreturn]] void fail(const std::string& what, const std::string& expected,
                         const std::string& got) const {
    fail_conllu(number, what, expected, got);
  }
};

// "8", "8-9" or "8.1".
struct ConlluId {
  enum class Kind { kWord, kRange, kEmptyNode };
  Kind kind = Kind::kWord;
  std::size_t first = 0;
  std::size_t second = 0;  // 0 for a word
  std::string_view text;
};

ConlluColumns split_columns(const ConlluLine& line);
ConlluId read_id(const ConlluLine& line, std::string_view text);
// Decimal digits without leading zeros that fit into a size, and nothing else.
std::optional<std::size_t> read_number(std::string_view text);
// Whether the last column does not say SpaceAfter=No.
bool has_space_after(const ConlluColumns& columns);

std::string_view trimmed(std::string_view text);
// 'text', shortened where it is long, for messages.
std::string quoted(std::string_view text);

}  // namespace mha
