// The characters that byte-level BPE writes for bytes (Radford et al. 2019): printable characters
// of Latin-1 stand for themselves, the other bytes, in order, for U+0100 and what follows.
#pragma once

#include <optional>

namespace mha {

inline bool is_printable_byte(char32_t code) {
  return (code >= 0x21 && code <= 0x7E) || (code >= 0xA1 && code <= 0xAC) ||
         (code >= 0xAE && code <= 0xFF);
}

inline char32_t byte_level_character(unsigned char byte) {
  if (is_printable_byte(byte)) return byte;
  return 0x100 + (byte <= 0x20 ? byte : byte <= 0xA0 ? byte - 0x7F + 0x21 : 0x43);
}

inline std::optional<unsigned char> byte_of_character(char32_t code) {
  if (is_printable_byte(code)) return static_cast<unsigned char>(code);
  if (code >= 0x100 && code <= 0x120) return static_cast<unsigned char>(code - 0x100);
  if (code >= 0x121 && code <= 0x142) return static_cast<unsigned char>(code - 0x121 + 0x7F);
  if (code == 0x143) return static_cast<unsigned char>(0xAD);
  return std::nullopt;
}

}  // namespace mha
