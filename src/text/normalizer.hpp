// The first step: changes to the characters of a text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "aligned_text.hpp"
#include "config_fields.hpp"

namespace mha::tok {

class Normalizer {
 public:
  using Step = std::function<AlignedText(const AlignedText&)>;

  Normalizer() = default;  // changes nothing
  explicit Normalizer(std::vector<Step> steps) : steps_(std::move(steps)) {}

  AlignedText normalize(AlignedText text) const;

 private:
  std::vector<Step> steps_;
};

// The member "normalizer" of tokenizer.json. A kind that is not known is refused by name.
Normalizer read_normalizer(const Json& config, const std::string& place);

struct BertRules {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;
  bool lowercase = true;
};
Normalizer::Step bert_normalizer(const BertRules& rules);

AlignedText lowercase(const AlignedText& text);
AlignedText without_marks(const AlignedText& text);
// The cleaning of SentencePiece's rules for machine translation.
AlignedText nmt(const AlignedText& text);

// Canonical or compatibility decomposition, composed again or not (Unicode Annex 15).
struct NormalForm {
  bool compatibility = false;
  bool compose = false;
};
AlignedText normal_form(const AlignedText& text, NormalForm form);

// Every byte as one printable character, as byte-level BPE writes it.
AlignedText byte_level_characters(const AlignedText& text);

// The compiled character map of SentencePiece, in base64. Throws an input error at `place`.
Normalizer::Step precompiled_normalizer(const std::string& base64, const std::string& place);

}  // namespace mha::tok
