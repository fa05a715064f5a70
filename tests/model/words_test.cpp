// Documents of words alone, run through the bundled model.
#include <fstream>

#include <nlohmann/json.hpp>

#include "mha/model/text_model.hpp"
#include "mha/source/source.hpp"

#include "support/catch.hpp"
#include "support/collect.hpp"
#include "support/errors.hpp"

namespace mha {
namespace {

using Names = std::vector<std::string>;
using test::error_of;

OpenOptions with_model() {
  OpenOptions options;
  options.model = bundled_model;
  return options;
}

OpenedInput open(const std::string& document) {
  return open_document(document, with_model());
}

TEST_CASE("a text alone runs through the model") {
  const OpenedInput input = open(R"({"text": "the dog chased the cat"})");
  CHECK(input.tokens == Names{"[bos]", "the", "dog", "chased", "the", "cat"});
  CHECK(input.key_tokens == input.tokens);
  REQUIRE(input.model != nullptr);
  CHECK(input.has_outputs);
  CHECK(input.rows->layers().size() == 3);
  CHECK(input.head_names[2][7].text() == "L2H7");
  CHECK(input.notes == Names{"attention of the bundled toy model (3 layers of 8 heads, trained on "
                             "a small grammar of English)"});
  CHECK(input.warnings.empty());
}

TEST_CASE("given tokens get the marks around them that the tokenizer adds, but only once") {
  const Names expected{"[bos]", "the", "dog"};
  CHECK(open(R"({"tokens": ["the", "dog"]})").tokens == expected);
  CHECK(open(R"({"tokens": ["[bos]", "the", "dog"]})").tokens == expected);
}

TEST_CASE("ids are read as they are") {
  const auto model = bundled_model();
  const std::uint32_t dog = *model->tokenizer->id("dog");
  const OpenedInput input = open("{\"ids\": [3, " + std::to_string(dog) + "]}");
  CHECK(input.tokens == Names{"[bos]", "dog"});
  CHECK(open("{\"ids\": [" + std::to_string(dog) + "], \"tokens\": [\"hound\"]}").tokens ==
        Names{"hound"});
  CHECK(error_of([] {
          open(R"({"ids": [3, 100000]})");
        }).starts_with("/ids: token 1: not in the vocabulary of the model; expected an id below "));
}

TEST_CASE("unknown words are said, each once") {
  const OpenedInput input = open(R"({"text": "the zebra saw the zebra and the gnu"})");
  CHECK(input.tokens[2] == "zebra");  // the label; the model reads [unk]
  CHECK(input.notes.at(0).find("; unknown to it: 'zebra', ") != std::string::npos);
  REQUIRE(input.warnings.size() == 1);
  CHECK(input.warnings[0].starts_with(
      "not in the vocabulary of the model, read as an unknown word: 'zebra'"));
  CHECK(input.warnings[0].ends_with("'gnu'"));
}

TEST_CASE("a token that is no piece, or several, is an unknown word") {
  const OpenedInput input = open(R"({"tokens": ["the", "dog", "don't", "."]})");
  CHECK(input.tokens == Names{"[bos]", "the", "dog", "don't", "."});
  CHECK(input.warnings.size() == 1);
}

TEST_CASE("fields of known weights are refused beside words alone") {
  CHECK(error_of([] {
          open(R"({"text": "the dog", "key_tokens": ["a"]})");
        }).starts_with("/key_tokens: needs attention_weights"));
}

TEST_CASE("relations count the document's own tokens") {
  const OpenedInput input = open(
      R"({"tokens": ["the", "dog"], "relations": [{"name": "determiner", "pairs": [[0, 1]]}]})");
  REQUIRE(input.relations.size() == 1);
  CHECK(input.relations[0].pairs.at(0) == std::pair<std::size_t, std::size_t>{1, 2});
  CHECK(error_of([] {
          open(R"({"tokens": ["the", "dog"], "relations": [{"name": "n", "pairs": [[0, 2]]}]})");
        }).starts_with("/relations/0/pairs/0/1: "));
}

// The bundled model behind a tokenizer that also puts a token after the text, as BERT's does.
std::shared_ptr<const TextModel> model_with_end() {
  std::ifstream file(MHA_SOURCE_DIR "/data/models/toy/tokenizer.json");
  nlohmann::json config = nlohmann::json::parse(file);
  nlohmann::json& process = config["post_processor"];
  process["single"].push_back({{"SpecialToken", {{"id", "[mask]"}, {"type_id", 0}}}});
  process["special_tokens"]["[mask]"] = {{"id", "[mask]"}, {"ids", {2}}, {"tokens", {"[mask]"}}};
  const auto toy = bundled_model();
  return std::make_shared<const TextModel>(
      TextModel{"toy", Tokenizer::from_tokenizer_json(config.dump(), "tokenizer.json"),
                toy->transformer, toy->hash});
}

TEST_CASE("tokens that the tokenizer puts behind the text are not the document's own") {
  OpenOptions options;
  options.model = model_with_end;
  const Names expected{"[bos]", "the", "dog", "[mask]"};
  for (const std::string words : {R"("text": "the dog")", R"("tokens": ["the", "dog"])"}) {
    INFO(words);
    const auto open_with = [&](const std::string& pair) {
      return open_document(
          "{" + words + R"(, "relations": [{"name": "n", "pairs": [)" + pair + "]}]}", options);
    };
    const OpenedInput input = open_with("[0, 1]");
    CHECK(input.tokens == expected);
    CHECK(input.relations.at(0).pairs.at(0) == std::pair<std::size_t, std::size_t>{1, 2});
    CHECK(error_of([&] { open_with("[0, 2]"); }).starts_with("/relations/0/pairs/0/1: "));
  }
}

TEST_CASE("what says how to compute is computed without the model") {
  for (const std::string more :
       {R"("attention": {"n_heads": 2})", R"("embeddings": [[1, 2], [3, 4]])",
        R"("weights": {"random": {"seed": 1}})", R"("residual": true, "layers": [{}])",
        R"("positions": "sinusoidal")"}) {
    INFO(more);
    CHECK(open("{\"tokens\": [\"the\", \"dog\"], " + more + "}").model == nullptr);
  }
}

TEST_CASE("flags for the attention rule do not apply to a model") {
  OpenOptions options = with_model();
  options.defaults.causal = true;
  CHECK(error_of([&] {
          open_document(R"({"text": "the dog"})", options);
        }).starts_with("the attention rule is the model's own"));
}

TEST_CASE("a text without any token, and one that is too long, are refused") {
  CHECK(error_of([] { open(R"({"tokens": []})"); }) ==
        "/tokens: no tokens; expected at least one, got none");
  std::string text = "the";
  for (int i = 0; i < 40; ++i) text += " dog";
  CHECK(error_of([&] { open("{\"text\": \"" + text + "\"}"); }) ==
        "/text: too many tokens for the model; expected at most 31 beside 1 token of the "
        "tokenizer, got 41");
  CHECK(error_of([] { open(R"({"text": "..."})"); }) ==
        "/text: no tokens; expected at least one, got none");
}

// Weights of one word on the two nouns of a twin, in head L2H2.
std::pair<double, double> weights_on(const nlohmann::json& tokens, std::size_t pronoun,
                                     std::size_t right, std::size_t wrong) {
  const OpenedInput input = open(nlohmann::json{{"tokens", tokens}}.dump());
  const LayerInfo& layer = input.rows->layers()[2];
  test::Collect sink(layer.n_heads, layer.shape);
  StreamOptions options;
  options.layers = {2, 3};
  input.rows->stream(sink, options);
  const std::size_t n = input.tokens.size();
  const float* row = sink.weights.data() + (2 * n + pronoun + 1) * n + 1;  // after "[bos]"
  return {row[right], row[wrong]};
}

TEST_CASE("the pronoun head finds the right noun in both sentences of 99 of 100 twins") {
  std::ifstream file(MHA_SOURCE_DIR "/data/models/toy/twins.json");
  const nlohmann::json twins = nlohmann::json::parse(file);
  REQUIRE(twins.size() == 200);
  std::size_t flips = 0;
  double sum = 0;
  for (const nlohmann::json& twin : twins) {
    const std::size_t nouns[] = {twin["right"][0], twin["right"][1]};
    bool both = true;
    for (std::size_t side = 0; side < 2; ++side) {
      const auto [right, wrong] =
          weights_on(twin["tokens"][side], twin["pronoun"], nouns[side], nouns[1 - side]);
      both = both && right > wrong;
      sum += right / 400;
    }
    flips += both ? 1 : 0;
  }
  CHECK(flips >= 198);
  CHECK(sum >= 0.5);
}

TEST_CASE("the same words with another model have another hash") {
  const OpenedInput with = open(R"({"text": "the dog"})");
  const OpenedInput without = open_document(R"({"text": "the dog"})", {});
  CHECK(without.model == nullptr);
  CHECK(with.hash != without.hash);
}

}  // namespace
}  // namespace mha
