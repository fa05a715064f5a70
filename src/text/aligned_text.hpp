// Text on its way to the model, with the place in the original text where each byte comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mha/base/utf8.hpp"

namespace mha::tok {

// Bytes [begin, end) of the original text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const Span&) const = default;
};

// A code point with its bytes in an AlignedText, as for_each gives it.
struct Character {
  char32_t code;
  std::size_t begin;
  std::size_t end;
};

// Well-formed UTF-8 in which every byte knows its span. The bytes of a character share the span of
// the character that they stand for, as in Hugging Face's NormalizedString: a token's offsets are
// the begin of its first and the end of its last byte.
class AlignedText {
 public:
  AlignedText() = default;
  // `original` begins at this byte of the whole text.
  AlignedText(std::string_view original, std::size_t offset);

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  Span span_of_byte(std::size_t byte) const { return spans_[byte]; }
  // Where the bytes [begin, end) come from. An empty range lies before the byte `begin`.
  Span span(std::size_t begin, std::size_t end) const;

  void append(char32_t code, Span span);
  void append(std::string_view bytes, Span span);
  // Bytes [begin, end) of another text, with their spans.
  void append(const AlignedText& other, std::size_t begin, std::size_t end);
  AlignedText slice(std::size_t begin, std::size_t end) const;
  // Puts `bytes` in front; they share the span of the first character. Nothing happens to an empty
  // text.
  void prepend(std::string_view bytes);

  template <typename Action>
  void for_each(Action action) const {
    for (std::size_t offset = 0; offset < text_.size();) {
      const std::size_t begin = offset;
      const char32_t code = next_code_point(text_, &offset);
      action(Character{code, begin, offset});
    }
  }

 private:
  std::string text_;
  std::vector<Span> spans_;
};

// Normalisation makes a text a few times longer at most; rules of a hostile file could fill the
// memory. Throws an input error where `n_bytes` out of `n_original` is beyond all that is needed.
void check_growth(std::size_t n_original, std::size_t n_bytes);

// A code point of a rewritten text. `change` 0 replaces the next character of the old text, +1 is
// inserted after the one before it, -n replaces one and removes the n that follow. This is how the
// reference tells offsets through normalisation.
struct Rewritten {
  char32_t code;
  int change;
};
AlignedText rewrite(const AlignedText& text, const std::vector<Rewritten>& characters);

}  // namespace mha::tok
