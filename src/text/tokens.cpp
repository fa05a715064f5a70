#include "mha/text/tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>

#include "mha/base/utf8.hpp"

#include "byte_alphabet.hpp"
#include "token_marks.hpp"

namespace mha {
namespace {

constexpr const char* kSpaceMark = "\u00B7";

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

bool is_punctuation(char c) {
  return std::ispunct(static_cast<unsigned char>(c)) != 0;
}

// Bytes of other scripts count as letters.
bool is_letter(char c) {
  return (static_cast<unsigned char>(c) & 0x80) != 0 ||
         std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool joins_word(std::string_view text, std::size_t i) {
  return (text[i] == '\'' || text[i] == '-') && i > 0 && i + 1 < text.size() &&
         is_letter(text[i - 1]) && is_letter(text[i + 1]);
}

std::string hex_byte(const char* format, unsigned byte) {
  std::array<char, 8> out{};
  std::snprintf(out.data(), out.size(), format, byte);
  return out.data();
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_ascii_letter(char c) {
  return is_capital(c) || (c >= 'a' && c <= 'z');
}

// "CLS", "UNUSED_3".
bool is_capital_name(std::string_view text) {
  return std::ranges::any_of(text, is_capital) &&
         std::ranges::all_of(text, [](char c) { return is_capital(c) || is_digit(c) || c == '_'; });
}

// The marks that tokenizers also write in small letters. Other such names in square brackets are
// text:
// "[laughs]" of a transcript.
bool is_known_mark(std::string_view text) {
  static constexpr std::string_view kMarks[] = {"bos", "eos", "cls", "sep", "pad", "unk", "mask"};
  return std::ranges::find(kMarks, text) != std::end(kMarks);
}

// "s", "extra_id_0", "fim-prefix".
bool is_name(std::string_view text) {
  return !text.empty() && is_ascii_letter(text[0]) && std::ranges::all_of(text, [](char c) {
    return is_ascii_letter(c) || is_digit(c) || c == '_' || c == '-';
  });
}

// What stands between `before` and `after`; empty when they are not there.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t around = before.size() + after.size();
  if (text.size() < around || !text.starts_with(before) || !text.ends_with(after)) return {};
  return text.substr(before.size(), text.size() - around);
}

void append_displayed(char32_t code, std::string_view raw, std::string* out) {
  constexpr char32_t kBytePairNewline = 0x10A;  // byte-level BPE writes \n so
  constexpr char32_t kBytePairTab = 0x109;
  if (code == kBadUtf8) {
    *out += hex_byte("<%02X>", static_cast<unsigned char>(raw[0]));
  } else if (code == '\n' || code == kBytePairNewline) {
    *out += "\u23CE";  // return symbol
  } else if (code == '\t' || code == kBytePairTab) {
    *out += "\u21E5";  // tab symbol
  } else if (code < 0x20 || (code >= 0x7F && code < 0xA0)) {
    *out += hex_byte("\\x%02X", static_cast<unsigned>(code));
  } else {
    *out += raw;
  }
}

// A token without knowledge of byte-level BPE, but for its marks.
std::string display_plain(std::string_view token) {
  constexpr char32_t kBytePairSpace = 0x120;
  if (token.empty()) return "\u2205";
  if (byte_token(token)) return "<" + std::string(token.substr(3, 2)) + ">";
  std::string out;
  bool at_start = true;
  std::size_t offset = 0;
  while (offset < token.size()) {
    const std::size_t start = offset;
    const char32_t code = next_code_point(token, &offset);
    at_start = at_start && is_space_mark(code);
    if (at_start || code == kBytePairSpace) {
      out += kSpaceMark;
    } else {
      append_displayed(code, token.substr(start, offset - start), &out);
    }
  }
  return out;
}

// The text of a token of byte-level BPE that holds whole characters beyond ASCII. Text of another
// kind is hardly ever taken for one: as bytes it would be ill-formed.
std::optional<std::string> spelled_characters(std::string_view token) {
  std::optional<std::string> text = byte_level_text(token);
  const auto is_beyond = [](char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; };
  if (!text || !std::ranges::any_of(*text, is_beyond)) return std::nullopt;
  return find_bad_utf8(*text) == std::string_view::npos ? text : std::nullopt;
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_space(text[i])) {
      finish();
    } else if (is_punctuation(text[i]) && !joins_word(text, i)) {
      finish();
      words.emplace_back(1, text[i]);
    } else {
      word += text[i];
    }
  }
  finish();
  return words;
}

std::string display_token(std::string_view token) {
  if (const std::optional<std::string> spelled = spelled_characters(token)) {
    return display_plain(*spelled);
  }
  return display_plain(token);
}

std::vector<std::string> display_tokens(const std::vector<std::string>& tokens) {
  const bool is_byte_level =
      std::ranges::any_of(tokens, [](const std::string& t) { return t.starts_with("\u0120"); }) &&
      std::ranges::all_of(tokens,
                          [](const std::string& t) { return byte_level_text(t).has_value(); });
  std::vector<std::string> out;
  out.reserve(tokens.size());
  for (const std::string& token : tokens) {
    out.push_back(is_byte_level ? display_plain(*byte_level_text(token)) : display_token(token));
  }
  return out;
}

bool is_special_token(std::string_view token) {
  const std::string_view in_brackets = between(token, "[", "]");
  return is_capital_name(in_brackets) || is_known_mark(in_brackets) ||
         is_name(between(token, "<", ">")) || is_name(between(token, "</", ">")) ||
         is_name(between(token, "<|", "|>"));
}

std::optional<unsigned char> byte_token(std::string_view token) {
  const std::string_view digits = between(token, "<0x", ">");
  if (digits.size() != 2) return std::nullopt;
  unsigned char byte = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, byte, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return byte;
}

std::optional<std::string> byte_level_text(std::string_view token) {
  std::string out;
  for (std::size_t offset = 0; offset < token.size();) {
    const std::optional<unsigned char> byte = byte_of_character(next_code_point(token, &offset));
    if (!byte) return std::nullopt;
    out += static_cast<char>(*byte);
  }
  return out;
}

}  // namespace mha
