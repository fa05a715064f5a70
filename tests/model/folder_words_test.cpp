// Documents of words alone, run through models from folders.
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "mha/io/tensor_files.hpp"
#include "mha/model/model_folder.hpp"
#include "mha/source/source.hpp"

#include "support/documents.hpp"
#include "support/model_folders.hpp"
#include "support/shared_data.hpp"

namespace mha {
namespace {

using nlohmann::json;
using Ids = std::vector<std::uint32_t>;
using Names = std::vector<std::string>;
using Types = std::vector<std::uint8_t>;
using test::error_of;

// The tiny BERT, and documents through it.
class Fixture {
 public:
  explicit Fixture(bool has_tokenizer = true) {
    const std::string folder = test::write_tiny_bert(scratch_, "tiny");
    if (!has_tokenizer) std::filesystem::remove(folder + "/vocab.txt");
    model_ = open_text_model(folder, std::size_t{1} << 30);
  }
  OpenedInput open(const json& document, SpecialTokens special = SpecialTokens::kAuto) const {
    OpenOptions options;
    options.model = [this] { return model_; };
    options.add_special = special;
    return open_document(document.dump(), options);
  }
  std::string problem(const json& document, SpecialTokens special = SpecialTokens::kAuto) const {
    return error_of([&] { open(document, special); });
  }

 private:
  test::ScratchFolder scratch_;
  std::shared_ptr<const TextModel> model_;
};

TEST_CASE("two texts are read with the template and the token types of the tokenizer") {
  const Fixture model;
  const OpenedInput input = model.open({{"text", "who sat?"}, {"text_pair", "the cat"}});
  CHECK(input.tokens == Names{"[CLS]", "who", "sat", "?", "[SEP]", "the", "cat", "[SEP]"});
  CHECK(input.model_input.ids == Ids{2, 11, 7, 12, 3, 5, 6, 3});
  CHECK(input.model_input.token_types == Types{0, 0, 0, 0, 0, 1, 1, 1});
  CHECK(input.text_model->description == "tiny (BERT, 2 layers of 2 heads)");
  const OpenedInput same =
      model.open({{"ids", {2, 11, 7, 12, 3, 5, 6, 3}}, {"token_types", {0, 0, 0, 0, 0, 1, 1, 1}}});
  CHECK(test::weights_of(same) == test::weights_of(input));
  const OpenedInput untyped = model.open({{"ids", {2, 11, 7, 12, 3, 5, 6, 3}}});
  CHECK(test::weights_of(untyped) != test::weights_of(input));
}

TEST_CASE("an unknown word keeps the text it has in the first or the second of two texts") {
  const Fixture model;
  const OpenedInput input = model.open({{"text", "a cat"}, {"text_pair", "the zebra"}});
  CHECK(input.tokens == Names{"[CLS]", "a", "cat", "[SEP]", "the", "zebra", "[SEP]"});
  REQUIRE(input.warnings.size() == 1);
  CHECK(input.warnings[0].ends_with("'a', 'zebra'"));
}

TEST_CASE("a second text needs a first one and a model") {
  const Fixture model;
  CHECK(model.problem({{"ids", {5}}, {"text_pair", "the cat"}}) ==
        "/text_pair: needs text; expected text beside it, got none");
  CHECK(model.problem({{"text", "the"}, {"text_pair", "cat"}, {"positions", "none"}})
            .starts_with("/text_pair: is for models"));
  CHECK(error_of([] {
          open_document(R"({"text": "the", "text_pair": "cat"})", {});
        }).starts_with("/text_pair: is for models"));
}

TEST_CASE("padding is hidden from every query") {
  const Fixture model;
  const json padded = {{"ids", {2, 5, 6, 3, 0, 0}},
                       {"valid_keys", {true, true, true, true, false, false}}};
  const std::vector<float> weights = test::weights_of(model.open(padded));
  const std::vector<float> plain = test::weights_of(model.open({{"ids", {2, 5, 6, 3}}}));
  for (std::size_t head = 0; head < 4; ++head) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        CHECK(weights[(head * 6 + i) * 6 + j] ==
              Approx(plain[(head * 4 + i) * 4 + j]).margin(1e-6));
      }
      CHECK(weights[(head * 6 + i) * 6 + 4] == 0);
    }
  }
}

TEST_CASE("fields beside words must have an entry for each token that the model reads") {
  const Fixture model;
  const std::string each = ", one for each token that the model reads, got ";
  CHECK(model.problem({{"text", "the cat"}, {"valid_keys", {true, true}}}) ==
        "/valid_keys: wrong number of entries; expected 4" + each + "2");
  CHECK(model.problem({{"ids", {5, 6}}, {"token_types", {0, 1, 1}}}) ==
        "/token_types: wrong number of entries; expected 2" + each + "3");
  CHECK(model.problem({{"ids", {5, 6}}, {"token_types", {0, 2}}}) ==
        "/token_types/1: a token type that the model does not have; expected below 2, got 2");
  CHECK(model.problem({{"ids", {5, 6}}, {"valid_keys", {1, 0}}})
            .starts_with("/valid_keys: wrong type; expected an array of true and false, got "));
  CHECK(model.problem({{"ids", {5}}, {"valid_keys", {true}}, {"attention", {{"n_heads", 1}}}}) ==
        "/valid_keys: is for models; expected no such field in a document that is computed "
        "without one\nhint: \"attention\": {\"valid_keys\": ...}");
}

TEST_CASE("special tokens are added as asked") {
  const Fixture model;
  const json text = {{"text", "the cat"}};
  CHECK(model.open(text, SpecialTokens::kNo).model_input.ids == Ids{5, 6});
  CHECK(model.open(text, SpecialTokens::kYes).model_input.ids == Ids{2, 5, 6, 3});
  CHECK(model.open(text, SpecialTokens::kNo).hash != model.open(text).hash);
}

TEST_CASE(
    "a model without a tokenizer reads ids, and refuses a text with the names it looked for") {
  const Fixture model(false);
  CHECK(model.open({{"ids", {2, 5, 3}}}).tokens == Names{"2", "5", "3"});
  const std::string problem = model.problem({{"text", "the cat"}});
  CHECK(
      problem.starts_with("/text: the model tiny (BERT, 2 layers of 2 heads) has no tokenizer; "
                          "expected ids, which it reads without one (looked for tokenizer.json, "
                          "vocab.txt, or vocab.json with merges.txt in "));
  CHECK(model.problem({{"tokens", {"the"}}}).starts_with("/tokens: the model tiny"));
}

TEST_CASE("a text far too long is refused by its beginning; spaces alone do not make it so") {
  const Fixture model;
  std::string words;
  while (words.size() < (1 << 20)) words += "the cat sat on the mat. ";
  CHECK(model.problem({{"text", words}})
            .starts_with("/text: too many tokens for the model; expected at most 12, got more "
                         "than 1072 in the first "));
  const std::string spaces(1 << 20, ' ');
  CHECK(model.open({{"text", spaces + "the cat"}}).model_input.ids == Ids{2, 5, 6, 3});
  // One unknown word, however long.
  CHECK(model.open({{"text", std::string(1 << 20, 'x')}}).model_input.ids == Ids{2, 1, 3});
}

TEST_CASE("a trained model gives the expected attention from its text") {
  const auto folder = test::shared_folder("capp-gpt");
  if (!folder) return;
  const auto model = open_text_model(*folder, std::size_t{1} << 30);
  const auto expected = open_tensor_path(*folder + "/expected.safetensors", std::size_t{1} << 30);
  std::ifstream file(*folder + "/prompts.json");
  const json prompts = json::parse(file);
  OpenOptions options;
  options.model = [&] { return model; };
  std::size_t n_compared = 0;
  for (const auto& [name, prompt] : prompts.items()) {
    std::string text;
    for (const json& token : prompt.at("tokens")) text += token.get<std::string>() + " ";
    const OpenedInput input = open_document(json{{"text", text}}.dump(), options);
    CHECK(json(input.model_input.ids) == prompt.at("ids"));
    const std::vector<float> weights = test::weights_of(input);
    const Tensor golden = read_tensor(*expected, "p" + name + ".attention");
    REQUIRE(weights.size() == golden.data.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double difference =
          static_cast<double>(weights[i]) - static_cast<double>(golden.data[i]);
      if (std::abs(difference) > 2e-5) FAIL(name << " differs at " << i);
    }
    ++n_compared;
  }
  CHECK(n_compared == 2);
}

}  // namespace
}  // namespace mha
