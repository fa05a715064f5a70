// Which two pieces may be merged, in which order, and into what.
#pragma once

#include <cstdint>
#include <vector>

#include "tokenizer_file.hpp"
#include "vocabulary.hpp"

namespace mha::tok {

struct MergeRule {
  std::uint32_t left = Vocabulary::kNone;  // entries of the vocabulary
  std::uint32_t right = Vocabulary::kNone;
  std::uint32_t rank = 0;  // lower is merged first
  std::uint32_t merged = Vocabulary::kNone;
};

// Open addressing: one look-up for each pair of neighbours is most of the work of BPE.
class MergeTable {
 public:
  MergeTable() = default;
  // `prefix` stands in front of pieces within a word and is cut off the right piece of a merge.
  // Throws an input error where a merge names a piece that the vocabulary does not have. Of equal
  // merges the last counts, as in the reference.
  MergeTable(const MergeList& merges, const Vocabulary& vocabulary, std::string_view prefix);

  // The rule for two neighbours, or null.
  const MergeRule* find(std::uint32_t left, std::uint32_t right) const {
    if (slots_.empty()) return nullptr;
    const MergeRule& rule = slots_[slot_of(left, right)];
    return rule.left == Vocabulary::kNone ? nullptr : &rule;
  }

 private:
  std::size_t slot_of(std::uint32_t left, std::uint32_t right) const;

  std::vector<MergeRule> slots_;  // a power of two, at most three quarters full
};

}  // namespace mha::tok
