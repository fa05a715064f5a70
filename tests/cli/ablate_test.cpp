// --ablate, score --importance and --predict through the program.
#include <cmath>

#include "program.hpp"

namespace mha {
namespace {

using nlohmann::json;
using test::ProcessResult;
using test::Program;
using Names = std::vector<std::string>;

constexpr const char* kText = "the dog chased the cat because it was hungry";
const std::string kQwen = MHA_SOURCE_DIR "/tests/goldens/models/qwen3";

json printed(const Program& program, const Names& arguments) {
  const ProcessResult result = program.run(arguments);
  INFO(result.err);
  REQUIRE(result.code == 0);
  return json::parse(result.out);
}

const json& weights_of(const json& document, std::size_t layer) {
  return document["attention_weights"][layer];
}

TEST_CASE("ablated heads change what lies above them, and the output says so") {
  const Program program;
  const json whole = printed(program, {"--text", kText, "-o", "-", "--weights", "json"});
  const json without =
      printed(program, {"--text", kText, "-o", "-", "--weights", "json", "--ablate", "L0H1,L1H*"});
  CHECK(weights_of(whole, 0) == weights_of(without, 0));
  CHECK(weights_of(whole, 1) != weights_of(without, 1));
  CHECK(without["ablated"] == json({"L0H1", "L1H*"}));
  CHECK_FALSE(whole.contains("ablated"));
  CHECK(without.dump().find("ablated: L0H1, L1H*") != std::string::npos);
}

TEST_CASE("heads to ablate that do not exist, or belong to no model, are refused") {
  const Program program;
  const ProcessResult unknown = program.run({"--text", kText, "-o", "out", "--ablate", "L0H9"});
  CHECK(unknown.code == 2);
  CHECK(unknown.err.find("L0H9") != std::string::npos);
  const ProcessResult document =
      program.run({test::example("creature.json"), "-o", "out", "--ablate", "L0H0"});
  CHECK(document.code != 0);
  CHECK(document.err.find("--ablate") != std::string::npos);
  CHECK_FALSE(program.has("out"));
}

TEST_CASE("compare with one input shows it without and with the ablation") {
  const Program program;
  const json result =
      printed(program, {"compare", "--text", kText, "--ablate", "L0H0", "--format", "json"});
  REQUIRE(result["heads"].size() == 24);
  for (const json& head : result["heads"]) {
    const std::string name = head["head"];
    const bool is_below = name.starts_with("L0");
    INFO(name);
    CHECK((head["js"].get<double>() == 0) == is_below);
  }
}

TEST_CASE("importance ranks heads by what the output loses with them") {
  const Program program;
  const Names arguments{"score", "--model", kQwen,      "--ids", "1,2,3,4,5,6,7",
                        "--ids", "7,6,5",   "--format", "json",  "--importance"};
  const ProcessResult run = program.run(arguments);
  REQUIRE(run.code == 0);
  const json result = json::parse(run.out);
  const std::size_t n_heads = result["heads"].size();
  CHECK(run.err.find("2 inputs x (" + std::to_string(n_heads) + " heads + 1) = ") !=
        std::string::npos);
  CHECK(result["forward_passes"] == 2 * (n_heads + 1));
  CHECK(result["positions"] == 6 + 2);
  double before = INFINITY;
  for (const json& head : result["heads"]) {
    CHECK(head["hidden_change"] > 0);
    CHECK(head["loss_change"] <= before);
    before = head["loss_change"];
  }
  // One head alone, as CSV, has the same numbers; and another number of threads too.
  const std::string name = result["heads"][0]["head"];
  const ProcessResult one =
      program.run({"score", "--model", kQwen, "--ids", "1,2,3,4,5,6,7", "--ids", "7,6,5",
                   "--format", "csv", "--importance", "--heads", name, "--threads", "1"});
  REQUIRE(one.code == 0);
  CHECK(one.out.starts_with("head,hidden_change,loss_change\n" + name + ","));
}

TEST_CASE("importance needs a model, and leaves flags of scores out") {
  const Program program;
  const ProcessResult document =
      program.run({"score", test::example("creature.json"), "--importance"});
  CHECK(document.code == 3);
  CHECK(document.err.find("is not computed by a model") != std::string::npos);
  CHECK(program.run({"score", "--text", kText, "--importance", "--clark"}).code == 2);
}

TEST_CASE("predictions of a causal model are the next tokens") {
  const Program program;
  const json result =
      printed(program, {"--model", kQwen, "--ids", "1,2,3,4", "-o", "-", "--predict", "3"});
  REQUIRE(result["predictions"].size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const json& prediction = result["predictions"][i];
    CHECK(prediction["position"] == i);
    REQUIRE(prediction["top"].size() == 3);
    CHECK(prediction["top"][0]["probability"] >= prediction["top"][1]["probability"]);
  }
  const ProcessResult folder =
      program.run({"--model", kQwen, "--ids", "1,2,3,4", "-o", "out", "--predict", "2"});
  CHECK(folder.code == 0);
  CHECK(folder.err.find("next token: '") != std::string::npos);
  CHECK(program.json("out/predictions.json")["predictions"].size() == 4);
  CHECK_FALSE(
      printed(program, {"--model", kQwen, "--ids", "1,2", "-o", "-"}).contains("predictions"));
}

TEST_CASE("predictions of the toy model fill its masks") {
  const Program program;
  const json result =
      printed(program, {"--text", "the dogs [mask] the cat", "-o", "-", "--predict", "4"});
  REQUIRE(result["predictions"].size() == 1);
  CHECK(result["predictions"][0]["token"] == "[mask]");
  CHECK(result["predictions"][0]["top"].size() == 4);
  const json all =
      printed(program, {"--text", "the dogs chase the cat", "-o", "-", "--predict", "1"});
  CHECK(all["predictions"].size() == all["tokens"].size());
}

TEST_CASE("predictions of what no model computes are refused") {
  const Program program;
  const ProcessResult result =
      program.run({test::example("creature.json"), "-o", "out", "--predict", "2"});
  CHECK(result.code == 3);
  CHECK(result.err.find("--predict") != std::string::npos);
  CHECK_FALSE(program.has("out"));
}

}  // namespace
}  // namespace mha
