// `score --conllu FILE` without an INPUT: a model reads the sentences.
#include "cli/program.hpp"
#include "support/model_folders.hpp"
#include "support/shared_data.hpp"

namespace mha {
namespace {

using nlohmann::json;
using test::Program;

// Two sentences with a multiword token, an empty node, accents, capitals and an unknown word, which
// the tiny BERT reads as [CLS] the cat ##s [UNK] . [SEP] and [CLS] the dog ran [UNK] [SEP].
constexpr const char* kTreebank =
    "# sent_id = one\n"
    "# text = Thé cats wander.\n"
    "1\tThé\tthe\tDET\t_\t_\t2\tdet\t_\t_\n"
    "2\tcats\tcat\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
    "3\twander\twander\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
    "3.1\tthere\tthere\tADV\t_\t_\t_\t_\t_\t_\n"
    "4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_\n\n"
    "# sent_id = two\n"
    "1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n"
    "2\tDog\tdog\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
    "3\tran\trun\tVERB\t_\t_\t0\troot\t_\t_\n"
    "4-5\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "4\tde\tde\tADP\t_\t_\t5\tcase\t_\t_\n"
    "5\tle\tle\tNOUN\t_\t_\t3\tobl\t_\t_\n\n";

// A sentence of more words than the tiny BERT has positions.
std::string long_sentence() {
  std::string out = "# sent_id = long\n1\tdog\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n";
  for (int i = 2; i <= 11; ++i) {
    out += std::to_string(i) + "\tdog\tdog\tNOUN\t_\t_\t1\tdep\t_\t_\n";
  }
  return out + "\n";
}

std::string tiny_bert(const Program& program) {
  program.write("bert/config.json", test::tiny_bert_config().dump());
  program.write("bert/model.safetensors", test::random_safetensors(test::tiny_bert_tensors()));
  program.write("bert/vocab.txt", test::tiny_bert_vocabulary());
  return "bert";
}

json relation_of(const json& scores, const std::string& name, bool reversed = false) {
  for (const json& relation : scores["relations"]) {
    if (relation["name"] == name && relation["reversed"] == reversed) return relation;
  }
  FAIL("there is no relation " << name);
  return {};
}

json scores_of(const Program& program, const std::vector<std::string>& arguments) {
  const test::ProcessResult result = program.run(arguments);
  INFO(result.err);
  REQUIRE(result.code == 0);
  return json::parse(result.out);
}

TEST_CASE("a model reads the sentences of a treebank, and its pieces are laid over their words") {
  const Program program;
  program.write("t.conllu", kTreebank);
  const std::string model = tiny_bert(program);
  const json scores =
      scores_of(program, {"score", "--conllu", "t.conllu", "--model", model, "--format", "json"});
  CHECK(scores["inputs"] == 2);
  CHECK(relation_of(scores, "det")["rows"] == 2);
  CHECK(relation_of(scores, "nsubj")["rows"] == 2);
  CHECK(relation_of(scores, "punct")["rows"] == 1);
  // "de" and "le" are one token, which belongs to the first: there is no row of the second, and no
  // right key where it is the head.
  for (const json& relation : scores["relations"]) {
    CHECK(relation["name"] != "case");
    CHECK(relation["name"] != "obl");
  }

  // The same sentences as texts give the same numbers.
  program.write("t.txt", "Thé cats wander.\nThe Dog ran du\n");
  const json texts = scores_of(program, {"score", "--text-file", "t.txt", "--conllu", "t.conllu",
                                         "--model", model, "--format", "json"});
  CHECK(texts["relations"] == scores["relations"]);
  CHECK(texts["heads"] == scores["heads"]);
}

TEST_CASE("without a model the bundled one reads a treebank") {
  const Program program;
  program.write("t.conllu", kTreebank);
  const json scores = scores_of(program, {"score", "--conllu", "t.conllu", "--format", "json"});
  CHECK(scores["inputs"] == 2);
  CHECK(relation_of(scores, "nsubj")["rows"] == 2);
}

TEST_CASE("a sentence too long for the model is skipped and named") {
  const Program program;
  program.write("t.conllu", kTreebank + long_sentence());
  const std::string model = tiny_bert(program);
  const std::vector<std::string> command = {"score", "--conllu", "t.conllu", "--model", model};
  const test::ProcessResult result = program.run(command);
  CHECK(result.code == 0);
  CHECK(result.err.find("t.conllu: sentence long (line 17): skipped: too many tokens for the "
                        "model; expected at most 10 beside 2 tokens of the tokenizer, got 11\n") !=
        std::string::npos);
  CHECK(result.err.find("t.conllu: 1 of 3 sentences skipped as too long\n") != std::string::npos);

  program.write("long.conllu", long_sentence());
  const std::string refused = "mha-viz: error: long.conllu: sentence long (line 1): skipped";
  const test::ProcessResult strict =
      program.run({"score", "--conllu", "long.conllu", "--model", model, "--strict"});
  CHECK(strict.code == 3);
  CHECK(strict.err.starts_with(refused));
  const test::ProcessResult none =
      program.run({"score", "--conllu", "long.conllu", "--model", model});
  CHECK(none.code == 3);
  CHECK(none.out.empty());
  CHECK(none.err.find("error: long.conllu: 1 of 1 sentence skipped as too long\n") !=
        std::string::npos);
}

TEST_CASE("shards of a treebank add up to the whole") {
  const Program program;
  program.write("t.conllu", kTreebank + long_sentence() + kTreebank);
  const std::string model = tiny_bert(program);
  const std::vector<std::string> common = {"score", "--conllu", "t.conllu", "--model", model};
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = common;
    arguments.insert(arguments.end(), more.begin(), more.end());
    program.must_run(arguments);
  };
  run({"--format", "json", "-o", "whole.json"});
  for (const char* part : {"1", "2", "3"}) {
    run({"--shard", std::string(part) + "/3", "-o", std::string(part) + ".part"});
  }
  program.must_run(
      {"merge", "3.part", "1.part", "2.part", "--format", "json", "-o", "merged.json"});
  CHECK(program.read("merged.json") == program.read("whole.json"));
}

TEST_CASE("what keeps a model from reading a treebank is said once") {
  const Program program;
  const std::string model = tiny_bert(program);
  const auto error = [&](const char* file) {
    const test::ProcessResult result = program.run({"score", "--conllu", file, "--model", model});
    CHECK(result.code == 3);
    CHECK(result.out.empty());
    return result.err;
  };
  program.write("empty.conllu", "");
  CHECK(error("empty.conllu") == "mha-viz: error: empty.conllu: holds no sentence\n");
  std::string other = kTreebank;
  other.replace(other.find("text = Thé cats"), 16, "text = Thé dogs");
  program.write("other.conllu", other.substr(0, other.find("# sent_id = two")));
  CHECK(error("other.conllu")
            .find("mha-viz: error: other.conllu:1: sentence one (line 1): word 2 'cats' is not "
                  "what the "
                  "characters of the text say; expected 'cats', got 'dogs'\n") !=
        std::string::npos);
  std::filesystem::remove(program.file("bert/vocab.txt"));
  program.write("t.conllu", kTreebank);
  CHECK(error("t.conllu") ==
        "mha-viz: error: --conllu: the model bert (BERT, 2 layers of 2 heads) has no tokenizer for "
        "the sentences (looked for tokenizer.json, vocab.txt, or vocab.json with merges.txt in "
        "bert)\n");
}

TEST_CASE("trained models read real treebanks") {
  const auto treebanks = test::shared_folder("treebanks");
  const auto stories = test::shared_folder("stories260K");
  if (!treebanks || !stories) return;
  const Program program;
  const std::vector<std::pair<const char*, int>> files = {
      {"english-ewt-220", 220}, {"french-pud-150", 150}, {"arabic-pud-150", 150}};
  for (const auto& [name, n_sentences] : files) {
    INFO(name);
    const json scores =
        scores_of(program, {"score", "--conllu", *treebanks + "/" + name + ".conllu", "--model",
                            *stories, "--heads", "L0H0", "--format", "json"});
    CHECK(scores["inputs"] == n_sentences);
    // A causal model sees the subject from the verb, or the verb from the subject.
    const int n_rows = relation_of(scores, "nsubj")["rows"].get<int>() +
                       relation_of(scores, "nsubj", true)["rows"].get<int>();
    CHECK(n_rows > 100);
  }
}

}  // namespace
}  // namespace mha
