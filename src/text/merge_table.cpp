#include "merge_table.hpp"

#include <bit>
#include <string>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha::tok {
namespace {

std::uint32_t entry_of(const Vocabulary& vocabulary, std::string_view piece, std::size_t merge) {
  const std::uint32_t entry = vocabulary.find(piece);
  if (entry == Vocabulary::kNone) {
    fail_input(concat("merge ", merge, " (counted from 0) names the piece '", shortened(piece),
                      "', which the vocabulary does not have"));
  }
  return entry;
}

}  // namespace

MergeTable::MergeTable(const MergeList& merges, const Vocabulary& vocabulary,
                       std::string_view prefix) {
  if (merges.size() == 0) return;
  slots_.resize(std::bit_ceil(merges.size() + merges.size() / 3 + 1));
  std::string merged;
  for (std::size_t i = 0; i < merges.size(); ++i) {
    MergeRule rule;
    rule.left = entry_of(vocabulary, merges.left(i), i);
    rule.right = entry_of(vocabulary, merges.right(i), i);
    rule.rank = static_cast<std::uint32_t>(i);
    merged = merges.left(i);
    const bool has_prefix = merges.right(i).starts_with(prefix);
    merged += merges.right(i).substr(has_prefix ? prefix.size() : 0);
    rule.merged = entry_of(vocabulary, merged, i);
    slots_[slot_of(rule.left, rule.right)] = rule;
  }
}

std::size_t MergeTable::slot_of(std::uint32_t left, std::uint32_t right) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t key = std::uint64_t{left} << 32 | right;
  std::size_t slot = ((key * 0x9E3779B97F4A7C15U) >> 32) & mask;
  const auto is_other = [&](const MergeRule& rule) {
    return rule.left != Vocabulary::kNone && (rule.left != left || rule.right != right);
  };
  while (is_other(slots_[slot])) slot = (slot + 1) & mask;
  return slot;
}

}  // namespace mha::tok
