// The words of a document as a model reads them: its ids, with a label for each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mha/model/text_model.hpp"
#include "mha/source/source.hpp"

#include "fields.hpp"

namespace mha {

// Which tokens are the document's own: [first, first + count). The others, such as "[bos]", were
// added by the tokenizer.
struct OwnTokens {
  std::size_t first = 0;
  std::size_t count = 0;
};

struct ModelWords {
  TokenizedText text;
  OwnTokens own;
  std::vector<std::string> unknown;  // as the document writes them
  std::string pointer;               // of the field that they come from
};

// Reads text (and text_pair), tokens (read already) or ids. Throws Error(kInput) for words that the
// model cannot read, and for more of them than it has positions.
ModelWords read_model_words(const Fields& fields,
                            const std::optional<std::vector<std::string>>& tokens,
                            const TextModel& model, SpecialTokens add_special);

}  // namespace mha
