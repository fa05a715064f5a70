// A transformer with the tokenizer that belongs to it: text in, attention out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mha/model/transformer.hpp"
#include "mha/text/tokenizer.hpp"

namespace mha {

struct TextModel {
  std::string description;  // for people, one line: what it is and how far to trust it
  Tokenizer tokenizer;
  std::shared_ptr<const Transformer> transformer;
  std::uint64_t hash = 0;  // of its configuration, tokenizer and weights
};

// The model that is part of the library (data/models/toy, docs/models.md). Opened at the first call
// and kept; may be called from several threads.
std::shared_ptr<const TextModel> bundled_model();

}  // namespace mha
