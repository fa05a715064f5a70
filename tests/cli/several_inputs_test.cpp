// Several inputs: the good ones are written, the bad ones listed.
#include "program.hpp"

namespace mha {
namespace {

using nlohmann::json;
using test::example;
using test::Program;
using Names = std::vector<std::string>;

const std::string kGood = R"({"text": "the dog"})";

// Three lines, the second of them wrong.
void write_lines(const Program& program) {
  program.write("in.ndjson", R"({"id": "first", "text": "the dog"})"
                             "\n"
                             R"({"text": 3})"
                             "\n"
                             R"({"id": "third", "text": "the cat"})"
                             "\n");
}

TEST_CASE("a bad line of NDJSON does not stop the others") {
  const Program program;
  write_lines(program);
  const test::ProcessResult result = program.run({"in.ndjson", "-o", "out", "--no-png", "-q"});
  CHECK(result.code == 5);
  CHECK(program.has("out/000001/summary.json"));
  CHECK(program.has("out/000003/attention.json"));
  CHECK_FALSE(program.has("out/000002"));
  const json summary = program.json("out/summary.json");
  CHECK(summary["format"] == "mha-viz summary 1");
  CHECK(summary["inputs"] == json::parse(R"([
      {"folder": "000001", "id": "first", "status": "ok"},
      {"folder": "000002", "status": "failed"},
      {"folder": "000003", "id": "third", "status": "ok"}])"));
}

TEST_CASE("the message names file, line and pointer, and a list stands at the end") {
  const Program program;
  write_lines(program);
  const test::ProcessResult result = program.run({"in.ndjson", "-o", "out", "--no-png"});
  CHECK(result.err.find("mha-viz: error: in.ndjson:2: /text: wrong type; expected a string, got "
                        "the number 3\n") != std::string::npos);
  CHECK(result.err.ends_with("mha-viz: warning: 1 of 3 inputs failed: 000002\n"));
}

TEST_CASE("a syntax error in NDJSON has one line number, that of the file") {
  const Program program;
  program.write("in.ndjson", kGood + "\n" + R"({"text": x})" + "\n");
  const test::ProcessResult result = program.run({"in.ndjson", "-o", "out", "--no-png"});
  CHECK(result.err.find("error: in.ndjson:2:10: not valid JSON") != std::string::npos);
}

TEST_CASE("a text file without text is an error") {
  const Program program;
  program.write("empty.txt", "\n\n");
  const test::ProcessResult result = program.run({"--text-file", "empty.txt", "-o", "out"});
  CHECK(result.code == 3);
  CHECK(result.err == "mha-viz: error: empty.txt: holds no text; expected one sentence a line\n");
  CHECK_FALSE(program.has("out"));
}

TEST_CASE("when every input fails the exit code is 3 and nothing is written") {
  const Program program;
  program.write("in.ndjson", R"({"text": 1})"
                             "\n"
                             R"({"text": 2})"
                             "\n");
  const test::ProcessResult result = program.run({"in.ndjson", "none.json", "-o", "out"});
  CHECK(result.code == 3);
  CHECK_FALSE(program.has("out"));
  CHECK(result.err.find("3 of 3 inputs failed") != std::string::npos);
}

TEST_CASE("the flag --strict stops at the first bad input and leaves nothing") {
  const Program program;
  write_lines(program);
  const test::ProcessResult result = program.run({"in.ndjson", "-o", "out", "--strict", "-q"});
  CHECK(result.code == 3);
  CHECK_FALSE(program.has("out"));
  CHECK(result.err ==
        "mha-viz: error: in.ndjson:2: /text: wrong type; expected a string, got the "
        "number 3\n");
}

TEST_CASE("a head that one of several inputs does not have is said with the input's name") {
  const Program program;
  program.write("two.json", R"({"tokens": ["a", "b"], "attention": {"n_heads": 2}})");
  program.write("one.json", R"({"tokens": ["a", "b"], "attention": {"n_heads": 1}})");
  const auto check = [&program](const std::vector<std::string>& more, const std::string& place) {
    std::vector<std::string> arguments = more;
    arguments.insert(arguments.end(), {"--heads", "L0H1"});
    const test::ProcessResult result = program.run(arguments);
    CHECK(result.code == 2);
    CHECK(result.err == "mha-viz: error: " + place +
                            "--heads: there is no head L0H1\n  hint: the input has heads L0H0\n");
    CHECK_FALSE(program.has("out"));
  };
  check({"run", "two.json", "one.json", "-q", "-o", "out"}, "one.json: ");
  check({"report", "two.json", "one.json", "-q", "-o", "out"}, "one.json: ");
  check({"score", "two.json", "one.json", "-q"}, "one.json: ");
  check({"run", "one.json", "-q", "-o", "out"}, "");
}

TEST_CASE("files get a folder each by their names, and clashes are numbered") {
  const Program program;
  program.write("a/x.json", kGood);
  program.write("b/x.json", kGood);
  program.write("x-2.json", kGood);
  program.must_run({"a/x.json", "b/x.json", "x-2.json", "--text", "c", "-o", "out", "--no-png"});
  for (const char* folder : {"x", "x-2", "x-2-2", "text"}) {
    INFO(folder);
    CHECK(program.has(std::string("out/") + folder + "/summary.json"));
  }
  const json inputs = program.json("out/summary.json")["inputs"];
  CHECK(inputs.size() == 4);
}

TEST_CASE("records of one file among several stand below the folder of the file") {
  const Program program;
  program.write("in.ndjson", kGood + "\n" + kGood + "\n");
  program.write("one.json", kGood);
  program.must_run({"in.ndjson", "one.json", "-o", "out", "--no-png"});
  CHECK(program.has("out/in/000001/summary.json"));
  CHECK(program.has("out/in/000002/summary.json"));
  CHECK(program.has("out/one/summary.json"));
}

TEST_CASE("running the same inputs again replaces all of their folders") {
  const Program program;
  program.write("in.ndjson", kGood + "\n" + kGood + "\n" + kGood + "\n");
  program.must_run({"in.ndjson", "-o", "out", "--no-png"});
  program.write("in.ndjson", kGood + "\n" + kGood + "\n");
  program.must_run({"in.ndjson", "-o", "out", "--no-png"});
  CHECK(program.has("out/000002/summary.json"));
  CHECK_FALSE(program.has("out/000003"));
}

TEST_CASE("every shipped sentence runs") {
  const Program program;
  program.must_run({example("creatures.ndjson"), "-o", "out"});
  const json summary = program.json("out/summary.json");
  CHECK(summary["inputs"].size() == 24);
  for (const json& input : summary["inputs"]) CHECK(input["status"] == "ok");
  for (const std::string& file : summary["files"].get<Names>()) CHECK(program.has("out/" + file));
}

}  // namespace
}  // namespace mha
