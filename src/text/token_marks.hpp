// Marks that tokenizers put into tokens.
#pragma once

namespace mha {

// A space in front of a word: of byte-level BPE (U+0120), of SentencePiece (U+2581), or itself.
inline bool is_space_mark(char32_t code) {
  return code == 0x120 || code == 0x2581 || code == U' ';
}

}  // namespace mha
