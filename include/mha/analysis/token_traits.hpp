// What the tokens of one input say about its cells, worked out once for all heads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mha/attention/mask.hpp"

namespace mha {

// A relation as rows: for some queries the keys that are right. `reversed` relations go from the
// key to the query of the pairs they were made from.
struct RelationRows {
  std::string name;
  bool reversed = false;
  struct Row {
    std::size_t query = 0;
    std::vector<std::size_t> keys;  // ascending, different
  };
  std::vector<Row> rows;  // by query, ascending, different
};

class TokenTraits {
 public:
  struct Input {
    std::vector<std::string> key_tokens;       // (n_key)
    std::vector<std::uint8_t> is_special;      // (n_key)
    std::vector<std::uint8_t> is_punctuation;  // (n_key)
    struct Pairs {
      std::string name;
      std::vector<std::pair<std::size_t, std::size_t>> pairs;  // (query, key) indices
    };
    std::vector<Pairs> relations;
    std::size_t n_query = 0;
    bool is_cross = false;
  };

  TokenTraits() = default;  // nothing is known: no special tokens, no repeats, no relations
  explicit TokenTraits(const Input& input);

  bool is_special(std::size_t key) const { return !is_special_.empty() && is_special_[key] != 0; }
  std::span<const std::uint32_t> special_keys() const { return special_; }
  std::span<const std::uint32_t> punctuation_keys() const { return punctuation_; }
  // Earlier keys with the same token as the key at this position, ascending.
  std::span<const std::uint32_t> earlier(std::size_t position) const;

  const std::vector<RelationRows>& relations() const { return relations_; }
  struct RelationEntry {
    std::size_t relation = 0;
    const RelationRows::Row* row = nullptr;
  };
  // The relations in which this query has a row.
  std::span<const RelationEntry> relations_of(std::size_t query) const;

 private:
  void find_repeats(const std::vector<std::string>& tokens);
  void add_relation(const Input& input, const Input::Pairs& pairs, bool reversed);
  void index_relations(std::size_t n_query);

  std::vector<std::uint8_t> is_special_;
  std::vector<std::uint32_t> special_;
  std::vector<std::uint32_t> punctuation_;
  std::vector<std::vector<std::uint32_t>> positions_;  // of each different token
  std::vector<std::uint32_t> token_of_;                // (n_key) which of them
  std::vector<std::uint32_t> rank_;                    // (n_key) how many stand before it
  std::vector<RelationRows> relations_;
  std::vector<RelationEntry> entries_;    // by query
  std::vector<std::size_t> first_entry_;  // (n_query + 1); empty without relations
};

}  // namespace mha
