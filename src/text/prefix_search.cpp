#include "prefix_search.hpp"

#include <algorithm>

namespace mha::tok {
namespace {

struct Keyed {
  std::uint64_t key;  // the first eight bytes, big-endian: most comparisons end here
  PrefixSearch::Entry entry;
};

Keyed keyed(const PrefixSearch::Entry& entry) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const bool has = i < entry.piece.size();
    key = key << 8 | (has ? static_cast<unsigned char>(entry.piece[i]) : 0U);
  }
  return {key, entry};
}

bool comes_before(const Keyed& a, const Keyed& b) {
  if (a.key != b.key) return a.key < b.key;
  return a.entry.piece < b.entry.piece;
}

bool is_equal(const PrefixSearch::Entry& a, const PrefixSearch::Entry& b) {
  return a.piece == b.piece;
}

}  // namespace

PrefixSearch::PrefixSearch(std::vector<Entry> entries) {
  std::vector<Keyed> sorted;
  sorted.reserve(entries.size());
  for (const Entry& entry : entries) {
    if (!entry.piece.empty()) sorted.push_back(keyed(entry));
  }
  std::ranges::stable_sort(sorted, comes_before);
  entries_.reserve(sorted.size());
  for (const Keyed& one : sorted) entries_.push_back(one.entry);
  entries_.erase(std::unique(entries_.begin(), entries_.end(), is_equal), entries_.end());

  std::size_t at = 0;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    starts_[byte] = at;
    while (at < entries_.size() && static_cast<unsigned char>(entries_[at].piece[0]) == byte) ++at;
  }
  starts_[256] = at;
}

PrefixSearch::Range PrefixSearch::narrow(Range range, std::size_t depth, unsigned char byte) const {
  const auto at = [&](const Entry& entry) {
    return static_cast<unsigned char>(entry.piece[depth]);
  };
  const auto first = entries_.begin();
  const auto begin = std::partition_point(first + static_cast<std::ptrdiff_t>(range.begin),
                                          first + static_cast<std::ptrdiff_t>(range.end),
                                          [&](const Entry& entry) { return at(entry) < byte; });
  const auto end = std::partition_point(begin, first + static_cast<std::ptrdiff_t>(range.end),
                                        [&](const Entry& entry) { return at(entry) == byte; });
  return {static_cast<std::size_t>(begin - first), static_cast<std::size_t>(end - first)};
}

}  // namespace mha::tok
