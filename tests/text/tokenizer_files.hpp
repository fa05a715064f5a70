// Reading tokenizers and their expected values in tests.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "mha/text/tokenizer.hpp"

namespace mha::test {

using Json = nlohmann::json;
using Ids = std::vector<std::uint32_t>;
using Pieces = std::vector<std::string>;
using Ranges = std::vector<ByteRange>;

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline Json read_json(const std::string& path) {
  return Json::parse(read_text(path));
}

inline Tokenizer read_tokenizer(const std::string& path) {
  return Tokenizer::from_tokenizer_json(read_text(path), path);
}

inline Ids ids_of(const Json& list) {
  return list.get<Ids>();
}

inline Ranges ranges_of(const Json& list) {
  Ranges out;
  for (const Json& range : list) {
    out.push_back({range[0].get<std::size_t>(), range[1].get<std::size_t>()});
  }
  return out;
}

// What the offsets point at.
inline Pieces quoted(std::string_view text, const TokenizedText& tokens) {
  Pieces out;
  for (const ByteRange& range : tokens.offsets) {
    out.emplace_back(text.substr(range.begin, range.end - range.begin));
  }
  return out;
}

}  // namespace mha::test
