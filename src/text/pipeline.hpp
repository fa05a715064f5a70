// The parts of a tokenizer, in the order in which a text goes through them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mha/text/tokenizer.hpp"

#include "added_tokens.hpp"
#include "model.hpp"
#include "normalizer.hpp"
#include "post_processor.hpp"
#include "pre_tokenizer.hpp"

namespace mha {

struct Tokenizer::Pipeline {
  std::string name;  // of the file, for messages
  std::string kind;
  tok::AddedTokens added;
  tok::Normalizer normalizer;
  tok::PreTokenizer pre_tokenizer;
  std::unique_ptr<tok::Model> model;
  tok::PostProcessor post_processor;

  // Throws an input error where the template names an id that nothing has.
  void check_template() const;
  // A text without the tokens of the template.
  TokenizedText encode(std::string_view text) const;
  // One text or two within the template.
  TokenizedText finish(std::span<const TokenizedText> texts, const EncodeOptions& options) const;

  std::optional<std::string> piece_of_id(std::uint32_t id) const;

 private:
  void add_words(tok::AlignedText text, TokenizedText* out) const;
  void add_word(const tok::AlignedText& word, TokenizedText* out) const;
  void add_special(std::uint32_t id, std::uint8_t type, TokenizedText* out) const;
};

}  // namespace mha
