// The second step: cutting a text into words, which the model then never joins.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "aligned_text.hpp"
#include "config_fields.hpp"

namespace mha::tok {

class PreTokenizer {
 public:
  using Words = std::vector<AlignedText>;
  // Cuts (and may rewrite) one word, adding the parts to the list.
  using Step = std::function<void(AlignedText, Words*)>;

  PreTokenizer() = default;  // one word
  explicit PreTokenizer(std::vector<Step> steps) : steps_(std::move(steps)) {}

  Words split(AlignedText text) const;

 private:
  std::vector<Step> steps_;
};

// The member "pre_tokenizer" of tokenizer.json. A kind that is not known is refused by name.
PreTokenizer read_pre_tokenizer(const Json& config, const std::string& place);

// Adds the steps of byte-level BPE: words by GPT-2's pattern, then bytes as characters.
struct ByteLevelRules {
  bool add_prefix_space = true;
  bool use_regex = true;
};
void add_byte_level(const ByteLevelRules& rules, std::vector<PreTokenizer::Step>* steps);
// White space, then punctuation marks one by one.
void add_bert_words(std::vector<PreTokenizer::Step>* steps);

// True where the steps end with bytes as characters.
bool is_byte_level(const Json& config);

}  // namespace mha::tok
