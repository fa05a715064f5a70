// A transformer with the tokenizer that belongs to it: text in, attention out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mha/model/transformer.hpp"
#include "mha/text/tokenizer.hpp"

namespace mha {

struct TextModel {
  std::string description;             // for people, one line: what it is and how far to trust it
  std::optional<Tokenizer> tokenizer;  // none: it reads ids alone
  std::shared_ptr<const Transformer> transformer;
  std::uint64_t hash = 0;  // tells models apart; what it covers stands where the model is opened
  std::string tokenizer_files = {};        // "tokenizer.json"; "vocab.json and merges.txt"
  std::string no_tokenizer = {};           // without one: what was looked for, and where
  std::optional<std::uint32_t> bos = {};   // the token for the beginning of a text
  std::vector<std::string> warnings = {};  // what looks wrong with its files
};

// The model that is part of the library (data/models/toy, docs/models.md). Opened at the first call
// and kept; may be called from several threads. Its hash covers all of its files.
std::shared_ptr<const TextModel> bundled_model();

// Its files, for those who run it elsewhere.
struct BundledFiles {
  std::string_view config;     // config.json
  std::string_view tokenizer;  // tokenizer.json
  std::string_view weights;    // model.safetensors
};
BundledFiles bundled_files();

}  // namespace mha
