#include <algorithm>
#include <array>
#include <utf8proc.h>

#include "byte_alphabet.hpp"
#include "normalizer.hpp"

namespace mha::tok {
namespace {

struct Decomposed {
  char32_t code;
  int change;  // as in Rewritten
  int combining_class;
};

int combining_class(char32_t code) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(code))->combining_class;
}

void append_decomposed(char32_t code, bool compatibility, std::vector<Decomposed>* out) {
  std::array<utf8proc_int32_t, 32> codes{};  // the longest decomposition has 18
  int boundary_class = 0;
  const int options = compatibility ? UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT : UTF8PROC_DECOMPOSE;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), codes.data(),
                              static_cast<utf8proc_ssize_t>(codes.size()),
                              static_cast<utf8proc_option_t>(options), &boundary_class);
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    const auto part = static_cast<char32_t>(codes[static_cast<std::size_t>(i)]);
    out->push_back({part, i == 0 ? 0 : 1, combining_class(part)});
  }
}

// Runs of combining marks in the order of their classes.
void reorder(std::vector<Decomposed>* characters) {
  auto begin = characters->begin();
  while (begin != characters->end()) {
    const auto is_mark = [](const Decomposed& c) { return c.combining_class != 0; };
    begin = std::find_if(begin, characters->end(), is_mark);
    const auto end = std::find_if_not(begin, characters->end(), is_mark);
    std::stable_sort(begin, end, [](const Decomposed& a, const Decomposed& b) {
      return a.combining_class < b.combining_class;
    });
    begin = end;
  }
}

// The character that two characters make, or 0.
char32_t composition(char32_t first, char32_t second) {
  std::array<utf8proc_int32_t, 3> codes = {static_cast<utf8proc_int32_t>(first),
                                           static_cast<utf8proc_int32_t>(second), 0};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  return utf8proc_normalize_utf32(codes.data(), 2, options) == 1 ? static_cast<char32_t>(codes[0])
                                                                 : 0;
}

// Joins each starter with the marks behind it that it composes with, unless a mark between them
// blocks it (Unicode Standard, D117).
std::vector<Decomposed> composed(const std::vector<Decomposed>& characters) {
  std::vector<Decomposed> out;
  std::size_t starter = 0;  // place of the last starter in `out`
  bool has_starter = false;
  int last_class = 0;  // of what stands between the starter and here; -1 for nothing
  for (const Decomposed& c : characters) {
    const bool is_blocked = last_class != -1 && last_class >= c.combining_class;
    const bool maybe = has_starter && !is_blocked && !(out[starter].code < 0x80 && c.code < 0x300);
    const char32_t joined = maybe ? composition(out[starter].code, c.code) : 0;
    if (joined != 0) {
      out[starter].code = joined;
      out[starter].change += c.change - 1;
      continue;
    }
    if (c.combining_class == 0) {
      starter = out.size();
      has_starter = true;
      last_class = -1;
    } else {
      last_class = c.combining_class;
    }
    out.push_back(c);
  }
  return out;
}

}  // namespace

AlignedText normal_form(const AlignedText& text, NormalForm form) {
  const bool is_ascii =
      std::ranges::all_of(text.text(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (is_ascii) return text;
  std::vector<Decomposed> characters;
  text.for_each([&](Character c) { append_decomposed(c.code, form.compatibility, &characters); });
  reorder(&characters);
  if (form.compose) characters = composed(characters);
  std::vector<Rewritten> changes;
  changes.reserve(characters.size());
  for (const Decomposed& c : characters) changes.push_back({c.code, c.change});
  return rewrite(text, changes);
}

AlignedText byte_level_characters(const AlignedText& text) {
  AlignedText out;
  std::size_t at = 0;
  for (const char c : text.text()) {
    out.append(byte_level_character(static_cast<unsigned char>(c)), text.span_of_byte(at++));
  }
  return out;
}

}  // namespace mha::tok
