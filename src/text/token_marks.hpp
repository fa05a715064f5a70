// Marks that tokenizers put into tokens.
#pragma once

#include <string_view>

namespace mha {

// A space in front of a word: of byte-level BPE (U+0120), of SentencePiece (U+2581), or itself.
inline bool is_space_mark(char32_t code) {
  return code == 0x120 || code == 0x2581 || code == U' ';
}

// "<0xE7>", as SentencePiece writes a raw byte.
inline bool is_byte_token(std::string_view token) {
  const auto is_hex = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
  };
  return token.size() == 6 && token.starts_with("<0x") && token[5] == '>' && is_hex(token[3]) &&
         is_hex(token[4]);
}

}  // namespace mha
