// The pieces of a vocabulary and their ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mha::tok {

// Pieces are numbered from 0 in the order in which they were added ("entries"); their ids may be
// any numbers. Open addressing over text in one block: 128k pieces load in a few milliseconds.
class Vocabulary {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // Makes room for what a file of so many bytes can hold; memory that is not used is not touched.
  void reserve_for_file(std::size_t n_bytes);
  // False when the piece is there already; kNone is no id. All pieces together have less than 4
  // GiB.
  bool add(std::string_view piece, std::uint32_t id);
  // Entry of a piece, or kNone.
  std::uint32_t find(std::string_view piece) const;
  std::uint32_t size() const { return static_cast<std::uint32_t>(ids_.size()); }
  // Valid as long as the vocabulary is, also when it moves, until a piece is added.
  std::string_view piece(std::uint32_t entry) const {
    return {text_.data() + starts_[entry], starts_[entry + 1] - starts_[entry]};
  }
  std::uint32_t id(std::uint32_t entry) const { return ids_[entry]; }

  // Prepares entry_of_id(); the entries of two pieces that share an id, where there are any.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> index_ids();
  std::uint32_t entry_of_id(std::uint32_t id) const;  // or kNone
  std::uint32_t largest_id() const;                   // 0 for an empty vocabulary

 private:
  struct Slot {
    std::uint32_t entry = kNone;  // kNone: free
    std::uint32_t hash = 0;       // upper half, so that most pieces need not be looked at
  };
  static std::size_t hash_of(std::string_view piece);
  std::size_t slot_of(std::string_view piece, std::size_t hash) const;
  void grow();

  std::vector<char> text_;
  std::vector<std::uint32_t> starts_ = {0};
  std::vector<std::uint32_t> ids_;
  std::vector<Slot> slots_;           // a power of two
  std::vector<std::uint32_t> by_id_;  // entries in the order of their ids
};

}  // namespace mha::tok
