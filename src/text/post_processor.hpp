// The last step: trimmed offsets, and special tokens around the texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mha/text/tokenizer.hpp"

#include "config_fields.hpp"

namespace mha::tok {

// A special token, or one of the texts, with the token type that it gets.
struct TemplatePiece {
  enum class Kind { kFirst, kSecond, kSpecial };
  Kind kind = Kind::kFirst;
  std::uint8_t type = 0;
  std::vector<std::uint32_t> ids = {};  // kSpecial
};
using Template = std::vector<TemplatePiece>;

struct PostProcessor {
  // One entry for each step that trims white space from offsets: whether the first token keeps its
  // one leading space.
  std::vector<bool> trims;
  Template single = {{TemplatePiece::Kind::kFirst, 0, {}}};
  Template pair = {{TemplatePiece::Kind::kFirst, 0, {}}, {TemplatePiece::Kind::kSecond, 1, {}}};

  bool adds_tokens() const;
};

// The member "post_processor" of tokenizer.json. A kind that is not known is refused by name.
PostProcessor read_post_processor(const Json& config, const std::string& place);

// [cls] A [sep] B [sep] of BERT, and [cls] A [sep] [sep] B [sep] with one token type of RoBERTa.
void set_bert_template(std::uint32_t cls, std::uint32_t sep, PostProcessor* processor);
void set_roberta_template(std::uint32_t cls, std::uint32_t sep, PostProcessor* processor);

// Takes leading and trailing white space (of byte-level BPE: U+0120) out of the tokens' offsets.
// `text` is the text that the offsets point into.
void trim_offsets(std::string_view text, bool keep_first_space, TokenizedText* tokens);

}  // namespace mha::tok
