// Small tokenizer.json documents, put together from parts.
#pragma once

#include <string>
#include <string_view>

#include "mha/text/tokenizer.hpp"

#include "support/errors.hpp"
#include "text/tokenizer_files.hpp"

namespace mha::test {

// The members of a tokenizer.json as JSON text; the model is required.
struct Parts {
  std::string model = R"({"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"})";
  std::string normalizer = "null";
  std::string pre_tokenizer = "null";
  std::string post_processor = "null";
  std::string added_tokens = "[]";

  std::string json() const {
    return R"({"version": "1.0", "added_tokens": )" + added_tokens + R"(, "normalizer": )" +
           normalizer + R"(, "pre_tokenizer": )" + pre_tokenizer + R"(, "post_processor": )" +
           post_processor + R"(, "decoder": null, "model": )" + model + "}";
  }
  Tokenizer open() const { return Tokenizer::from_tokenizer_json(json(), "T"); }
  std::string error() const {
    return error_of([&] { open(); });
  }
};

// What a normalizer makes of a text, and where it came from: every character is a token of a BPE
// model without merges that has all of them through byte fallback.
struct Normalized {
  std::string text;
  Pieces sources;  // the part of the original that each character stands for
};

inline std::string all_bytes_model() {
  std::string vocab;
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (std::size_t byte = 0; byte < 256; ++byte) {
    vocab += byte > 0 ? ", " : "";
    vocab +=
        std::string("\"<0x") + kHex[byte >> 4] + kHex[byte & 15] + ">\": " + std::to_string(byte);
  }
  return R"({"type": "BPE", "byte_fallback": true, "merges": [], "vocab": {)" + vocab + "}}";
}

// Bytes of the tokens, which are one for each byte here.
inline std::string bytes_of(const TokenizedText& tokens) {
  std::string out;
  for (std::uint32_t id : tokens.ids) out += static_cast<char>(id);
  return out;
}

inline Normalized normalized(const std::string& normalizer, std::string_view text) {
  Parts parts;
  parts.model = all_bytes_model();
  parts.normalizer = normalizer;
  const TokenizedText tokens = parts.open().encode(text);
  Normalized out{bytes_of(tokens), {}};
  const Pieces all = quoted(text, tokens);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((static_cast<unsigned char>(out.text[i]) & 0xC0) != 0x80) out.sources.push_back(all[i]);
  }
  return out;
}

// The words that a pre-tokenizer makes, each an unknown word of a WordLevel model: what their
// offsets point at in the text.
inline Pieces words(const std::string& pre_tokenizer, std::string_view text) {
  Parts parts;
  parts.pre_tokenizer = pre_tokenizer;
  return quoted(text, parts.open().encode(text));
}

}  // namespace mha::test
