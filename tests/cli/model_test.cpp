// Sentences alone, through the bundled model.
#include "program.hpp"

namespace mha {
namespace {

using nlohmann::json;
using test::example;
using test::Program;
using Names = std::vector<std::string>;

// attention.json of an input.
json attention_of(const Program& program, const Names& input) {
  Names arguments = input;
  arguments.insert(arguments.end(), {"--no-png", "--force", "-o", "attention"});
  program.must_run(arguments);
  return program.json("attention/attention.json");
}

std::size_t index_of(const json& tokens, const std::string& token) {
  return static_cast<std::size_t>(std::find(tokens.begin(), tokens.end(), token) - tokens.begin());
}

// Weight of one pair of words in head L2H6 of an attention.json.
double pronoun_weight(const json& document, const std::string& query, const std::string& key) {
  const json& tokens = document["tokens"];
  return document["attention_weights"][2][6][index_of(tokens, query)][index_of(tokens, key)];
}

TEST_CASE("a sentence on standard input is drawn with learned heads") {
  const Program program;
  const test::ProcessResult result = program.run_with_input(
      {"-o", "out", "-"},
      R"({"text":"the fluffy creatures happily eat the berry because they are hungry"})");
  CHECK(result.code == 0);
  CHECK(result.err.find("attention of the bundled toy model") != std::string::npos);
  CHECK(program.has("out/heads/L02H07.png"));
  const json summary = program.json("out/summary.json");
  CHECK(summary["tokens"].size() == 12);
  CHECK(summary["layers"].size() == 3);
  CHECK(summary["layers"][0]["d_model"] == 64);
  CHECK(summary["layers"][0]["d_head"] == 8);
  CHECK(program.json("out/output.json")["outputs"][2][11].size() == 64);
}

TEST_CASE("the twins flip: they are the creatures, it is the berry") {
  const Program program;
  const json they = attention_of(program, {example("twin-they.json")});
  const json it = attention_of(program, {example("twin-it.json")});
  CHECK(pronoun_weight(they, "they", "creatures") > 0.5);
  CHECK(pronoun_weight(they, "they", "berry") < 0.1);
  CHECK(pronoun_weight(it, "it", "berry") > 0.5);
  CHECK(pronoun_weight(it, "it", "creatures") < 0.1);
}

TEST_CASE("capitals and a full stop do not matter") {
  const Program program;
  const json plain = attention_of(program, {"--text", "the dog chased anna"});
  const json written = attention_of(program, {"--text", "The dog chased Anna."});
  CHECK(written["tokens"] == plain["tokens"]);
  CHECK(written["attention_weights"] == plain["attention_weights"]);
}

TEST_CASE("a word that the model does not know is a warning, and an error under --strict") {
  const Program program;
  const Names zebra{"--text", "the zebra slept", "--no-png", "-o", "out"};
  const test::ProcessResult result = program.run(zebra);
  CHECK(result.code == 0);
  CHECK(result.err.find("warning: --text: not in the vocabulary of the model, read as an unknown "
                        "word: 'zebra'") != std::string::npos);
  Names strict = zebra;
  strict.insert(strict.end(), {"--force", "--strict"});
  CHECK(program.run(strict).code == 3);
}

TEST_CASE("flags for the attention rule are refused with the model") {
  const Program program;
  const test::ProcessResult result = program.run({"--text", "the dog", "--causal", "-o", "out"});
  CHECK(result.code == 2);
  CHECK(result.err.find("the attention rule is the model's own") != std::string::npos);
  CHECK_FALSE(program.has("out"));
}

TEST_CASE("a layer of the model is walked through to the weights that run gives") {
  const Program program;
  const Names text{"--text", "the dog chased the cat"};
  const json weights = attention_of(program, text)["attention_weights"][1][4];
  Names steps{"steps"};
  steps.insert(steps.end(), text.begin(), text.end());
  steps.insert(steps.end(), {"--heads", "L1H4", "-o", "-"});
  const json walk = json::parse(program.run(steps).out);
  bool is_found = false;
  for (const json& step : walk["heads"][0]["steps"]) {
    if (step["name"] != "weights") continue;
    is_found = true;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t j = 0; j < weights.size(); ++j) {
        CHECK(step["values"][i][j].get<double>() ==
              Approx(weights[i][j].get<double>()).margin(1e-6));
      }
    }
  }
  CHECK(is_found);
  CHECK(program.run({"steps", "--text", "the dog", "--cost"}).out.find("d_model = 64") !=
        std::string::npos);
}

TEST_CASE("the analyses work on the model, with the same bytes for every number of threads") {
  const Program program;
  for (const char* threads : {"1", "3"}) {
    program.must_run({"--text", "the dog chased the cat", "--analysis", "all", "--map", "norm",
                      "--threads", threads, "-o", threads});
  }
  REQUIRE(program.files("1") == program.files("3"));
  for (const std::string& name : program.files("1")) {
    INFO(name);
    CHECK(program.read("1/" + name) == program.read("3/" + name));
  }
  const json contribution = program.json("1/contribution.json");
  CHECK(contribution["heads"].size() == 24);
  CHECK(contribution["heads"][0]["copying"].is_number());
}

}  // namespace
}  // namespace mha
