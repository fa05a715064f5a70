// The text that a list of tokens stands for, as one string without spaces.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

// How tokens write text.
enum class TokenStyle {
  kPieces,     // space marks in front, "##" before a continuation, byte tokens
  kByteLevel,  // byte-level BPE
  kPlain,      // every token is text as it stands, none is special
};

struct TokenStream {
  std::string text;                // of all tokens; may be ill-formed where a token is
  std::vector<std::size_t> start;  // for each token, where it starts in text
  std::vector<bool> is_special;    // for each token; a special one has no text
  bool has_capitals = false;       // of ASCII

  // The text from `offset` on, of at least `size` bytes where there are as many, to the end of a
  // token: what a message shows.
  std::string_view whole_tokens(std::size_t offset, std::size_t size) const;
};

TokenStream token_stream(const std::vector<std::string>& tokens, TokenStyle style);

// The text without white space, that of Unicode included.
std::string without_spaces(std::string_view text);

std::string lower_ascii(std::string text);

}  // namespace mha
