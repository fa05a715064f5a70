#include "vocabulary.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace mha::tok {

std::size_t Vocabulary::hash_of(std::string_view piece_text) {
  return std::hash<std::string_view>()(piece_text);
}

// The slot that holds the piece, or the free one where it belongs. Linear probing, at most half of
// the slots are taken.
std::size_t Vocabulary::slot_of(std::string_view piece_text, std::size_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const auto is_other = [&](const Slot& slot) {
    return slot.entry != kNone && (slot.hash != hash >> 32 || piece(slot.entry) != piece_text);
  };
  std::size_t slot = hash & mask;
  while (is_other(slots_[slot])) slot = (slot + 1) & mask;
  return slot;
}

void Vocabulary::grow() {
  slots_.assign(std::max<std::size_t>(64, slots_.size() * 4), Slot());
  for (std::uint32_t entry = 0; entry < size(); ++entry) {
    const std::size_t hash = hash_of(piece(entry));
    slots_[slot_of(piece(entry), hash)] = {entry, static_cast<std::uint32_t>(hash >> 32)};
  }
}

void Vocabulary::reserve_for_file(std::size_t n_bytes) {
  text_.reserve(n_bytes / 4);
  starts_.reserve(n_bytes / 32);
  ids_.reserve(n_bytes / 32);
}

bool Vocabulary::add(std::string_view piece_text, std::uint32_t piece_id) {
  if (slots_.size() < 2 * (ids_.size() + 1)) grow();
  const std::size_t hash = hash_of(piece_text);
  const std::size_t slot = slot_of(piece_text, hash);
  if (slots_[slot].entry != kNone) return false;
  slots_[slot] = {size(), static_cast<std::uint32_t>(hash >> 32)};
  text_.insert(text_.end(), piece_text.begin(), piece_text.end());
  starts_.push_back(static_cast<std::uint32_t>(text_.size()));
  ids_.push_back(piece_id);
  return true;
}

std::uint32_t Vocabulary::find(std::string_view piece_text) const {
  return slots_.empty() ? kNone : slots_[slot_of(piece_text, hash_of(piece_text))].entry;
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
