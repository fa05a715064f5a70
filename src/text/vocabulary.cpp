#include "vocabulary.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace mha::tok {

// The slot that holds the piece, or the free one where it belongs. Linear probing, at most half of
// the slots are taken.
std::size_t Vocabulary::slot_of(std::string_view piece_text) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>()(piece_text) & mask;
  while (slots_[slot] != kNone && piece(slots_[slot]) != piece_text) slot = (slot + 1) & mask;
  return slot;
}

void Vocabulary::grow() {
  slots_.assign(std::max<std::size_t>(64, slots_.size() * 4), kNone);
  for (std::uint32_t entry = 0; entry < size(); ++entry) slots_[slot_of(piece(entry))] = entry;
}

bool Vocabulary::add(std::string_view piece_text, std::uint32_t piece_id) {
  if (slots_.size() < 2 * (ids_.size() + 1)) grow();
  const std::size_t slot = slot_of(piece_text);
  if (slots_[slot] != kNone) return false;
  slots_[slot] = size();
  text_.insert(text_.end(), piece_text.begin(), piece_text.end());
  starts_.push_back(text_.size());
  ids_.push_back(piece_id);
  return true;
}

std::uint32_t Vocabulary::find(std::string_view piece_text) const {
  return slots_.empty() ? kNone : slots_[slot_of(piece_text)];
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> Vocabulary::index_ids() {
  by_id_.resize(ids_.size());
  std::iota(by_id_.begin(), by_id_.end(), 0U);
  const auto less = [&](std::uint32_t a, std::uint32_t b) { return ids_[a] < ids_[b]; };
  if (!std::ranges::is_sorted(ids_)) std::ranges::sort(by_id_, less);
  const auto twice = std::ranges::adjacent_find(
      by_id_, [&](std::uint32_t a, std::uint32_t b) { return ids_[a] == ids_[b]; });
  if (twice == by_id_.end()) return std::nullopt;
  return std::pair(*twice, *(twice + 1));
}

std::uint32_t Vocabulary::entry_of_id(std::uint32_t wanted) const {
  const auto found = std::ranges::lower_bound(by_id_, wanted, {},
                                              [&](std::uint32_t entry) { return ids_[entry]; });
  return found != by_id_.end() && ids_[*found] == wanted ? *found : kNone;
}

std::uint32_t Vocabulary::largest_id() const {
  return by_id_.empty() ? 0 : ids_[by_id_.back()];
}

}  // namespace mha::tok
