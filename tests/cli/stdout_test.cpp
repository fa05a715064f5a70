// -o -: one JSON document on stdout and nothing else.
#include "program.hpp"

namespace mha {
namespace {

using nlohmann::json;
using test::example;
using test::Program;

TEST_CASE("the flag -o - prints one JSON document and writes no file") {
  const Program program;
  const test::ProcessResult result = program.run({example("creature.json"), "-o", "-"});
  CHECK(result.code == 0);
  CHECK(result.err.empty());
  const json summary = json::parse(result.out);  // throws when there is anything beside it
  CHECK(summary["format"] == "mha-viz summary 1");
  CHECK(summary["heads"].size() == 4);
  CHECK(summary["tokens"].size() == 12);
  CHECK_FALSE(summary.contains("attention_weights"));
  CHECK_FALSE(summary.contains("files"));
  CHECK(program.files().empty());
}

TEST_CASE("with --weights json the document holds the weights") {
  const Program program;
  const test::ProcessResult result =
      program.run({example("creature.json"), "-o", "-", "--weights", "json"});
  const json document = json::parse(result.out);
  program.must_run({example("creature.json"), "-o", "out", "--no-png"});
  const json attention = program.json("out/attention.json");
  CHECK(document["attention_weights"] == attention["attention_weights"]);
  CHECK(document["selection"] == attention["selection"]);
  CHECK(document["axes"] == json({"layer", "head", "query", "key"}));
  CHECK(document["heads"] == program.json("out/summary.json")["heads"]);
}

TEST_CASE("several inputs print one line each") {
  const Program program;
  const test::ProcessResult result = program.run({example("creatures.ndjson"), "-o", "-", "-q"});
  CHECK(result.code == 0);
  std::istringstream lines(result.out);
  std::string line;
  std::size_t count = 0;
  for (; std::getline(lines, line); ++count) CHECK(json::parse(line)["heads"].size() == 4);
  CHECK(count == 24);
}

TEST_CASE("notes and warnings go to stderr, never into the document") {
  const Program program;
  const test::ProcessResult result = program.run({example("text.json"), "-o", "-"});
  CHECK(json::parse(result.out)["notes"].size() == 1);
  CHECK(result.err.find("note: ") != std::string::npos);
}

TEST_CASE("a format that stdout does not take is refused") {
  const Program program;
  CHECK(program.run({example("creature.json"), "-o", "-", "--weights", "npy"}).code == 2);
}

int shell_status(const Program& program, const std::string& command) {
  const int status = std::system(("cd '" + program.path() + "' && " + command).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("a closed pipe is an output error, not a crash") {
  const Program program;
  // 20 copies of the document are far more than a pipe holds.
  std::string inputs;
  for (int i = 0; i < 20; ++i) inputs += " '" + example("creature.json") + "'";
  const std::string run = std::string("{ '") + MHA_BINARY + "'" + inputs +
                          " -o - --weights json 2>err; echo $? >code; } | head -c 10 >head";
  CHECK(shell_status(program, run) == 0);
  CHECK(program.read("head") == "{\"format\":");
  CHECK(program.read("code") == "4\n");
  CHECK(program.read("err").find("mha-viz: error: standard output: cannot be written") !=
        std::string::npos);
}

TEST_CASE("a full disk is an output error") {
  if (!std::filesystem::exists("/dev/full")) return;
  const Program program;
  const std::string run =
      std::string("'") + MHA_BINARY + "' '" + example("creature.json") + "' -o - >/dev/full 2>err";
  CHECK(shell_status(program, run) == 4);
}

}  // namespace
}  // namespace mha
