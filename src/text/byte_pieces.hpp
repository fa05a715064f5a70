// The pieces <0x00> to <0xFF>, for text that no other piece covers.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "model.hpp"

namespace mha::tok {

class BytePieces {
 public:
  explicit BytePieces(const Vocabulary& vocabulary) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::string piece = {'<', '0', 'x', kHex[byte >> 4], kHex[byte & 15], '>'};
      entries_[byte] = vocabulary.find(piece);
    }
  }

  // Adds one part for each byte of `bytes`; all stand for [begin, end) of the word, or each for its
  // own byte where the range is as long. False, and nothing added, when a byte has no piece.
  bool add(std::string_view bytes, std::size_t begin, std::size_t end,
           std::vector<WordPart>* parts) const {
    for (const char c : bytes) {
      if (entries_[static_cast<unsigned char>(c)] == Vocabulary::kNone) return false;
    }
    const bool one_each = bytes.size() == end - begin;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint32_t entry = entries_[static_cast<unsigned char>(bytes[i])];
      parts->push_back({entry, one_each ? begin + i : begin, one_each ? begin + i + 1 : end});
    }
    return true;
  }

 private:
  std::array<std::uint32_t, 256> entries_{};
};

}  // namespace mha::tok
