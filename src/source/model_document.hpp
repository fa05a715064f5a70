// Documents of words alone: their attention comes from a trained model.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mha/source/source.hpp"

#include "fields.hpp"
#include "model_words.hpp"

namespace mha {

// Whether a document has words and nothing that says how to compute with them (embeddings, weights,
// an attention rule, layers).
bool is_words_alone(const JsonNode& root);

// Runs text, tokens (read already) or ids through `model` and fills in everything but id, relations
// and hash of `out`. Returns which tokens of the result are the document's own.
OwnTokens read_with_model(const Fields& fields,
                          const std::optional<std::vector<std::string>>& tokens,
                          const std::shared_ptr<const TextModel>& model, const OpenOptions& options,
                          OpenedInput* out);

}  // namespace mha
