// mha-viz compare: what changed, difference maps, gates.
#include "mha/io/file.hpp"

#include "program.hpp"

namespace mha {
namespace {

using test::example;
using test::Program;
using Names = std::vector<std::string>;
using nlohmann::json;

// Two words of three look back; the third looks at word 0 in `a` and at word 1 in `b`.
void write_twins(const Program& program) {
  program.write("a.json", R"({"id": "one", "tokens": ["x", "y", "it"],
    "attention_weights": [[[[1,0,0],[1,0,0],[0.9,0.1,0]], [[1,0,0],[0,1,0],[0,0,1]]]]})");
  program.write("b.json", R"({"id": "two", "tokens": ["x", "y", "they"],
    "attention_weights": [[[[1,0,0],[1,0,0],[0.1,0.9,0]], [[1,0,0],[0,1,0],[0,0,1]]]]})");
}

TEST_CASE("compare names what changed, the largest first, and tokens that differ") {
  const Program program;
  write_twins(program);
  const test::ProcessResult result = program.run({"compare", "a.json", "b.json"});
  CHECK(result.code == 0);
  CHECK(result.err.empty());
  CHECK(
      result.out.starts_with("A: a.json (1 input, 3 rows)\nB: b.json (1 input, 3 rows)\n"
                             "token 2: it -> they\n"));
  CHECK(result.out.find("previous 0.55 -> 0.95 (+0.40)") != std::string::npos);
  CHECK(result.out.find("0.000  none above 0.005") != std::string::npos);
  CHECK(result.out.find("L0H0") < result.out.find("L0H1"));
}

TEST_CASE("compare in JSON has both values, the difference and the distance") {
  const Program program;
  write_twins(program);
  const json out =
      json::parse(program.run({"compare", "a.json", "b.json", "--format", "json"}).out);
  CHECK(out["differing_tokens"] == json{2});
  CHECK(out["cells_compared"] == true);
  const json& head = out["heads"][0];
  CHECK(head["head"] == "L0H0");
  CHECK(head["scores"]["previous"]["delta"].get<double>() == Approx(0.4).margin(1e-6));
  // Two rows are the same; the third is JS((0.9, 0.1), (0.1, 0.9)) = ln 2 - H(0.1).
  const double h = -0.1 * std::log(0.1) - 0.9 * std::log(0.9);
  CHECK(head["js"].get<double>() == Approx((std::log(2.0) - h) / 3).margin(1e-6));
  CHECK(head["label_a"] == "first_token");
  CHECK(head["label_b"] == "previous");
  CHECK(head["label_changed"] == true);
}

TEST_CASE("an input compared with itself has no change") {
  const json out = json::parse(
      Program()
          .run({"compare", example("creature.json"), example("creature.json"), "--format", "json"})
          .out);
  for (const json& head : out["heads"]) {
    CHECK(head["js"] == 0.0);
    for (const auto& [name, score] : head["scores"].items()) CHECK(score["delta"] == 0.0);
  }
}

TEST_CASE("inputs of other lengths are compared by their scores alone") {
  const Program program;
  const test::ProcessResult result =
      program.run({"compare", example("creature.json"), example("creatures.ndjson")});
  CHECK(result.code == 0);
  CHECK(result.out.find("B: " + example("creatures.ndjson") + " (24 inputs, 299 rows)") !=
        std::string::npos);
  CHECK(result.out.find("Cells are not compared") != std::string::npos);
  CHECK(result.out.find("mixed -> pronoun-noun") != std::string::npos);
}

TEST_CASE("heads that one side alone has are listed") {
  const test::ProcessResult result =
      Program().run({"compare", example("creature.json"), example("one-head.json")});
  CHECK(result.code == 0);
  CHECK(result.out.find("only in A: L0H1, L0H2, L0H3\n") != std::string::npos);
}

TEST_CASE("compare writes difference maps and replaces its own folder") {
  const Program program;
  write_twins(program);
  for (int i = 0; i < 2; ++i) program.must_run({"compare", "a.json", "b.json", "-o", "out"});
  CHECK(program.files("out") ==
        Names{"heads/L00H00.png", "heads/L00H01.png", "overview.png", "summary.json"});
  const json summary = program.json("out/summary.json");
  CHECK(summary["format"] == "mha-viz comparison 1");
  CHECK(summary["files"].size() == 3);
  program.write("other/mine.txt", "x");
  CHECK(program.run({"compare", "a.json", "b.json", "-o", "other"}).code == 4);
}

TEST_CASE("a narrow overview of differences names its columns") {
  const Program program;
  program.must_run({"compare", example("twin-it.json"), example("twin-they.json"), "--width",
                    "85mm", "--font-size", "8pt", "--figure-format", "svg", "-o", "out"});
  const std::string svg = program.read("out/overview.svg");
  for (const char* name : {">L0<", ">L2<", ">H0<", ">H7<"}) {
    CAPTURE(name);
    CHECK(svg.find(name) != std::string::npos);
  }
}

TEST_CASE("conditions on two inputs decide the exit code") {
  const Program program;
  write_twins(program);
  const auto code = [&](const std::string& condition) {
    return program.run({"compare", "a.json", "b.json", "--fail-if", condition}).code;
  };
  CHECK(code("label-changed") == 6);
  CHECK(code("label-changed@L0H1") == 0);
  CHECK(code("js>0.1") == 6);
  CHECK(code("js>0.1@L0H1") == 0);
  CHECK(code("delta.previous>0.3@L0H0") == 6);
  CHECK(code("delta.previous<-0.1") == 0);
  CHECK(code("previous<0.9@L0H0") == 0);  // B's is 0.95
  CHECK(code("previous>0.9@L0H0") == 6);
  CHECK(code("js>0.1@L9H9") == 2);
  CHECK(code("delta.js>1") == 2);
  const Names changed{"compare", example("creature.json"), example("creatures.ndjson"), "--fail-if",
                      "label-changed"};
  CHECK(program.run(changed).code == 6);
  const Names lost{"compare", example("creature.json"), example("one-head.json"), "--fail-if",
                   "label-changed"};
  CHECK(program.run(lost).code == 6);
}

TEST_CASE("compare takes two inputs, and both must be readable") {
  const Program program;
  write_twins(program);
  CHECK(program.run({"compare", "a.json"}).code == 2);
  CHECK(program.run({"compare", "a.json", "b.json", "a.json"}).code == 2);
  const test::ProcessResult missing = program.run({"compare", "a.json", "none.json"});
  CHECK(missing.code == 3);
  CHECK(missing.err.find("none.json: cannot be opened") != std::string::npos);
}

}  // namespace
}  // namespace mha
