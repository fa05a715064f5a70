// Rows of words in place of rows of tokens, for analyses that speak about words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "mha/analysis/accumulator.hpp"
#include "mha/base/exact_sum.hpp"

namespace mha {

// Gathers the token rows of each slot into word rows and hands these to another accumulator.
// Attention to a word is the sum over its tokens, attention from a word the mean over them (Clark
// et al. 2019, "What Does BERT Look At?"). Tokens without a word are no queries; as keys they share
// one extra key after the words, so that rows still sum to 1.
//
// Holds n_words x (n_words + 1) sums a slot, as the tokens of a word may arrive in several blocks:
// meant for sentences, which are short. The order of blocks does not matter.
class WordRows : public Accumulator {
 public:
  static constexpr std::size_t kNoWord = static_cast<std::size_t>(-1);

  // `word_of_token` has a word below n_words or kNoWord for each key; queries are the last n_query
  // tokens of the keys. `inner` must outlive this object and must not expect the shapes of the
  // source (see finish()).
  WordRows(std::size_t n_slots, std::vector<std::size_t> word_of_token, std::size_t n_words,
           Accumulator* inner);
  ~WordRows() override;

  // Throws Error(kInternal) for cross-attention and for other numbers of keys.
  void add(std::size_t slot, const RowBlock& block) override;

  // To be called once, after the stream: hands one block to `inner` for every slot that had rows,
  // in the order of the slots. Its shape is (n_words + 1, n_words + 1), so that word i stands at
  // position i; key n_words is that of the tokens without a word, and query n_words is fully
  // masked.
  //
  // Tokens that are padding or fully masked do not count in the mean; a word with no other token
  // (or none at all) is fully masked. One token with a row that is not finite makes that of its
  // word NaN. A word is allowed as a key where any of its tokens is for any token of the query, and
  // missing where none is allowed and some do not exist.
  void finish();

 private:
  struct Slot;
  class Output;
  void add_row(std::size_t word, std::span<const float> weights, const RowMask& mask,
               Slot* slot) const;

  const std::vector<std::size_t> word_of_token_;
  const std::size_t n_words_;
  Accumulator* const inner_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace mha
