// Which pieces of a set does a text begin with?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mha::tok {

// Sorted pieces, narrowed byte by byte: no tree to build, and a search ends as soon as no piece
// begins like the text. The pieces' bytes belong to the caller and must outlive the search.
class PrefixSearch {
 public:
  struct Entry {
    std::string_view piece;
    std::uint32_t value;
  };

  PrefixSearch() = default;
  // Empty pieces are left out. Of two equal pieces the first is kept.
  explicit PrefixSearch(std::vector<Entry> entries);

  bool empty() const { return entries_.empty(); }

  // Calls found(length, value) for every piece that `text` begins with, shortest first.
  template <typename Found>
  void for_each_prefix(std::string_view text, Found found) const {
    if (text.empty() || entries_.empty()) return;
    const auto first = static_cast<unsigned char>(text[0]);
    Range range{starts_[first], starts_[first + 1]};
    for (std::size_t length = 1; range.begin < range.end; ++length) {
      const Entry& entry = entries_[range.begin];
      if (entry.piece.size() == length) {
        found(length, entry.value);
        ++range.begin;
      }
      if (length == text.size()) return;
      range = narrow(range, length, static_cast<unsigned char>(text[length]));
    }
  }

 private:
  struct Range {
    std::size_t begin, end;
  };
  // Of pieces that are longer than `depth` and share what comes before: those with this byte there.
  Range narrow(Range range, std::size_t depth, unsigned char byte) const;

  std::vector<Entry> entries_;
  std::array<std::size_t, 257> starts_{};  // first entry for each first byte
};

}  // namespace mha::tok
