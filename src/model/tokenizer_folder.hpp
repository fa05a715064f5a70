// The tokenizer of a model's folder, from whichever files describe it there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "mha/base/content_hash.hpp"
#include "mha/text/tokenizer.hpp"

namespace mha {

struct FolderTokenizer {
  std::optional<Tokenizer> tokenizer;
  std::string files;               // what it was read from: "tokenizer.json"
  std::string missing;             // where there is none: what was looked for
  std::optional<std::string> bos;  // the token that tokenizer_config.json puts first
};

// tokenizer.json; else vocab.json with merges.txt; else vocab.txt. tokenizer_config.json and
// special_tokens_map.json say how the latter two are used. Adds the files to `hash`. Throws
// Error(kInput) with the path of the file in front.
FolderTokenizer open_folder_tokenizer(const std::string& folder, std::string_view model_type,
                                      std::size_t max_bytes, ContentHash* hash);

}  // namespace mha
