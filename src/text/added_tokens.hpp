// Tokens that are found in the text before anything else happens to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aligned_text.hpp"
#include "config_fields.hpp"
#include "prefix_search.hpp"
#include "vocabulary.hpp"

namespace mha::tok {

class Normalizer;

// A stretch of text, or one added token that stands for it.
struct Segment {
  AlignedText text;
  std::uint32_t added = Vocabulary::kNone;  // number of the added token
};

struct AddedToken {
  std::uint32_t id = 0;
  std::string content;
  bool single_word = false;  // only where no word character stands beside it
  bool lstrip = false;       // takes the white space in front
  bool rstrip = false;       // and behind
  bool normalized = true;    // is searched after normalisation, and normalised itself
  bool special = false;
};

class AddedTokens {
 public:
  AddedTokens() = default;
  // Throws an input error where an id contradicts the vocabulary or another added token.
  AddedTokens(std::vector<AddedToken> tokens, const Vocabulary& vocabulary,
              const Normalizer& normalizer);

  std::size_t size() const { return tokens_.size(); }
  const AddedToken& operator[](std::size_t i) const { return tokens_[i]; }
  const AddedToken* find_id(std::uint32_t id) const;
  const AddedToken* find_content(std::string_view content) const;

  // Cuts the text at the added tokens in it; the longest of the leftmost wins.
  std::vector<Segment> split_raw(AlignedText text) const;
  std::vector<Segment> split_normalized(AlignedText text) const;

 private:
  void check_ids(const Vocabulary& vocabulary);
  std::vector<Segment> split(AlignedText text, const PrefixSearch& search) const;

  std::vector<AddedToken> tokens_;
  std::vector<std::uint32_t> by_id_;
  Vocabulary by_content_;                     // entry = number of the token
  std::vector<std::string> normalized_text_;  // what is searched for, for each token
  PrefixSearch raw_search_;
  PrefixSearch normalized_search_;
};

// The list "added_tokens" of tokenizer.json.
std::vector<AddedToken> read_added_tokens(const Json& list, const std::string& place);

}  // namespace mha::tok
