#include "mha/analysis/word_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/base/checked.hpp"

namespace mha {
namespace {

// What the tokens of one word said about a key; bits, as several may speak.
enum KeyState : std::uint8_t { kSawAllowed = 1, kSawMissing = 2 };

struct WordState {
  std::size_t n_rows = 0;     // that count in the mean
  std::size_t n_tokens = 0;   // that arrived
  std::size_t n_padding = 0;  // of them
  bool is_finite = true;
};

}  // namespace

struct WordRows::Slot {
  explicit Slot(std::size_t n_words)
      : sums(checked_mul(n_words, n_words + 1)), keys(sums.size()), words(n_words) {}

  std::mutex mutex;
  std::size_t layer = 0;
  std::size_t head = 0;
  bool has_rows = false;
  std::vector<ExactSum> sums;      // (n_words, n_words + 1)
  std::vector<std::uint8_t> keys;  // of the same shape: KeyState bits
  std::vector<WordState> words;
};

// The rows of one slot at a time, in the form that accumulators take.
class WordRows::Output {
 public:
  explicit Output(std::size_t n_words)
      : n_words_(n_words),
        shape_{n_words + 1, n_words + 1, false},
        weights_(n_words + 1, n_words + 1),
        cells_(checked_mul(n_words + 1, n_words + 1)),
        masks_(n_words + 1) {}

  RowBlock block_of(const Slot& slot) {
    std::fill_n(weights_.data(), cells_.size(), 0.0F);
    std::ranges::fill(cells_, kCellMasked);
    for (std::size_t word = 0; word <= n_words_; ++word) {
      masks_[word] = {0, shape_.n_key, cells_.data() + word * shape_.n_key, 0, false, false};
      if (word < n_words_) fill_row(slot, word);
    }
    return {slot.layer, slot.head, 0, weights_.view(), masks_, &shape_};
  }

 private:
  void fill_row(const Slot& slot, std::size_t word) {
    const WordState& state = slot.words[word];
    RowMask& mask = masks_[word];
    mask.is_padding = state.n_tokens > 0 && state.n_padding == state.n_tokens;
    mask.has_non_finite = !state.is_finite;
    for (std::size_t key = 0; key < shape_.n_key; ++key) {
      const std::size_t at = word * shape_.n_key + key;
      if ((slot.keys[at] & kSawAllowed) != 0) {
        cells_[at] = kCellAllowed;
        ++mask.n_allowed;
        weights_(word, key) =
            state.is_finite
                ? static_cast<float>(slot.sums[at].value() / static_cast<double>(state.n_rows))
                : std::numeric_limits<float>::quiet_NaN();
      } else if ((slot.keys[at] & kSawMissing) != 0) {
        cells_[at] = kCellMissing;
      }
    }
  }

  const std::size_t n_words_;
  const AttentionShape shape_;
  Matrix weights_;
  std::vector<std::uint8_t> cells_;
  std::vector<RowMask> masks_;
};

WordRows::WordRows(std::size_t n_slots, std::vector<std::size_t> word_of_token, std::size_t n_words,
                   Accumulator* inner)
    : word_of_token_(std::move(word_of_token)), n_words_(n_words), inner_(inner) {
  for (const std::size_t word : word_of_token_) {
    if (word >= n_words && word != kNoWord) {
      throw Error(ErrorKind::kInternal, "a token belongs to a word that does not exist");
    }
  }
  for (std::size_t s = 0; s < n_slots; ++s) slots_.push_back(std::make_unique<Slot>(n_words));
}

WordRows::~WordRows() = default;

void WordRows::add(std::size_t index, const RowBlock& block) {
  if (block.shape->is_cross || block.weights.cols != word_of_token_.size()) {
    throw Error(ErrorKind::kInternal, "word rows need self-attention over the tokens of the words");
  }
  Slot& slot = *slots_[index];
  const std::size_t first = block.first_query + block.shape->position_offset();
  const std::lock_guard lock(slot.mutex);
  slot.layer = block.layer;
  slot.head = block.head;
  slot.has_rows = true;
  for (std::size_t r = 0; r < block.weights.rows; ++r) {
    const std::size_t word = word_of_token_[first + r];
    if (word != kNoWord) add_row(word, block.weights.row(r), block.masks[r], &slot);
  }
}

void WordRows::add_row(std::size_t word, std::span<const float> weights, const RowMask& mask,
                       Slot* slot) const {
  WordState& state = slot->words[word];
  ++state.n_tokens;
  state.n_padding += mask.is_padding ? 1 : 0;
  if (mask.is_padding) return;
  const bool is_finite = std::ranges::all_of(weights, [](float w) { return std::isfinite(w); });
  state.is_finite = state.is_finite && is_finite;
  state.n_rows += mask.is_fully_masked() ? 0 : 1;
  const std::size_t row = word * (n_words_ + 1);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const std::size_t at = row + std::min(word_of_token_[j], n_words_);
    if (mask.allows(j)) {
      slot->keys[at] |= kSawAllowed;
      if (is_finite) slot->sums[at].add(static_cast<double>(weights[j]));
    } else if (mask.is_missing(j)) {
      slot->keys[at] |= kSawMissing;
    }
  }
}

void WordRows::finish() {
  Output output(n_words_);
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    if (slots_[s]->has_rows) inner_->add(s, output.block_of(*slots_[s]));
  }
}

}  // namespace mha
