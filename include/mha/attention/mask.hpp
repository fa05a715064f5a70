// Which keys a query may attend to. Masks are rules, never large negative constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mha {

// Number of queries and keys of one attention layer. In self-attention the queries are the last
// n_query positions of the keys' sequence: query i stands at position i + n_key - n_query, key j at
// position j. In cross-attention there is no common position.
struct AttentionShape {
  std::size_t n_query = 0;
  std::size_t n_key = 0;
  bool is_cross = false;

  bool has_positions() const { return !is_cross; }
  // Position of query 0; only where has_positions().
  std::size_t position_offset() const { return n_key - n_query; }
};

// The mask part of an attention rule. A key is allowed when every part that is given allows it.
struct MaskRule {
  bool causal = false;                // key position <= query position
  std::optional<std::size_t> window;  // W >= 1: 0 <= p - j < W when causal, |p - j| < W otherwise
  std::vector<std::uint8_t> valid_keys;  // (n_key): 0 = padding, no query may attend to it
  std::vector<std::uint8_t> mask;        // (n_query, n_key): 1 = may attend

  bool empty() const { return !causal && !window && valid_keys.empty() && mask.empty(); }
};

// What a mask says about one cell.
enum CellMask : std::uint8_t { kCellMasked = 0, kCellAllowed = 1, kCellMissing = 2 };

// The allowed keys of one query: those j in [begin, end) with cells[j] == kCellAllowed (all of them
// when cells is null). Outside the range every cell is masked.
struct RowMask {
  std::size_t begin = 0;
  std::size_t end = 0;
  const std::uint8_t* cells = nullptr;
  std::size_t n_allowed = 0;
  bool is_padding = false;      // the query itself is padding: computed, but left out of every mean
  bool has_non_finite = false;  // some weight of the row is not finite

  bool allows(std::size_t key) const {
    return key >= begin && key < end && (cells == nullptr || cells[key] == kCellAllowed);
  }
  bool is_missing(std::size_t key) const { return cells != nullptr && cells[key] == kCellMissing; }
  bool is_fully_masked() const { return n_allowed == 0; }
};

// Works out row masks for blocks of queries; holds the memory that they point to.
class RowMasker {
 public:
  // `rule` and `shape` must outlive this object. Throws Error(kInput) when a part of the rule does
  // not fit the shape, or when a positional part is used in cross-attention.
  RowMasker(const MaskRule& rule, const AttentionShape& shape);

  // What else hides cells of the rows asked for; both (n_rows, n_key) or null.
  struct Hints {
    const float* bias = nullptr;            // minus infinity hides a cell
    const std::uint8_t* missing = nullptr;  // 1: the cell does not exist
  };

  // Masks of queries [first, first + n_rows). Valid until the next call.
  const std::vector<RowMask>& rows(std::size_t first, std::size_t n_rows, const Hints& hints);

 private:
  RowMask range_of(std::size_t query) const;
  void fill_cells(std::size_t query, const Hints& hints, RowMask* row, std::uint8_t* cells) const;

  const MaskRule& rule_;
  const AttentionShape& shape_;
  std::vector<RowMask> rows_;
  std::vector<std::uint8_t> cells_;
};

// Throws Error(kInput) when the rule does not fit the shape.
void check_mask(const MaskRule& rule, const AttentionShape& shape);

}  // namespace mha
