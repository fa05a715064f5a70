// mha-viz score and merge: labels, relations, shards, gates.
#include <sstream>

#include "program.hpp"
#include "support/shared_data.hpp"

namespace mha {
namespace {

using test::example;
using test::Program;
using Names = std::vector<std::string>;
using nlohmann::json;

json head_of(const json& scores, const std::string& name) {
  for (const json& head : scores["heads"]) {
    if (head["head"] == name) return head;
  }
  return {};
}

json score_json(const Program& program, Names arguments) {
  arguments.insert(arguments.begin(), "score");
  arguments.insert(arguments.end(), {"--format", "json"});
  const test::ProcessResult result = program.run(arguments);
  INFO(result.err);
  REQUIRE(result.code == 0);
  return json::parse(result.out);
}

TEST_CASE("the four designed heads get their four labels, and coverage tells one from many") {
  const json scores = score_json({}, {example("creatures.ndjson")});
  CHECK(scores["inputs"] == 24);
  const char* expected[] = {"previous", "verb-argument", "adjective-noun", "pronoun-noun"};
  for (std::size_t h = 0; h < 4; ++h) {
    const json head = head_of(scores, "L0H" + std::to_string(h));
    CHECK(head["label"]["name"] == expected[h]);
    CHECK(head["label"]["score"] > 0.95);
    CHECK(head["entropy"]["spread"]["inputs"] == 24);
  }
  CHECK(scores["coverage"]["many_heads"] >= 0.95);
  CHECK(scores["coverage"]["one_head"] < 0.5);
}

TEST_CASE("one sentence has too few rows to label by relations, and says so") {
  const json scores = score_json({}, {example("creature.json")});
  CHECK(head_of(scores, "L0H0")["label"]["name"] == "previous");
  CHECK(head_of(scores, "L0H1")["label"]["name"] == "mixed");
  CHECK(head_of(scores, "L0H1")["remarks"] == json{"verb-argument 2 of 2 rows, too few to label"});
}

TEST_CASE("the table names heads, labels, relations and the coverage") {
  const test::ProcessResult result = Program().run({"score", example("creatures.ndjson")});
  CHECK(result.code == 0);
  CHECK(result.err.empty());
  for (const char* text :
       {"on 24 inputs, 299 rows\n", "L0H3  pronoun-noun     1.00", "duplicate token 0.11",
        "adjective-noun             L0H2       1.00       45/45      0.60          1   0.40\n",
        "33% for the best single head (L0H1), 100% with the best head for each."}) {
    INFO(text << "\n" << result.out);
    CHECK(result.out.find(text) != std::string::npos);
  }
  CHECK(result.out.find('\033') == std::string::npos);  // no colours in a pipe
}

TEST_CASE("heads are sorted and cut as asked") {
  const Program program;
  const auto first = [&](Names more) {
    Names arguments{"score", example("creatures.ndjson"), "--format", "csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::istringstream lines(program.run(arguments).out);
    std::string line;
    std::getline(lines, line);
    std::string names;
    while (std::getline(lines, line)) names += line.substr(0, line.find(',')) + " ";
    return names;
  };
  CHECK(first({"--by", "head"}) == "L0H0 L0H1 L0H2 L0H3 ");
  CHECK(first({"--by", "next", "--top", "2"}) == "L0H2 L0H1 ");
  CHECK(first({"--by", "pronoun-noun", "--top", "1"}) == "L0H3 ");
  CHECK(first({"--heads", "L0H1,L0mean", "--by", "head"}) == "L0H1 L0mean ");
  const test::ProcessResult wrong =
      program.run({"score", example("creature.json"), "--by", "previus"});
  CHECK(wrong.code == 2);
  CHECK(wrong.err ==
        "mha-viz: error: --by: there is no score 'previus'\n  hint: did you mean 'previous'?\n");
}

TEST_CASE("csv and ndjson have a line for each head") {
  const Program program;
  std::istringstream lines(
      program.run({"score", example("creatures.ndjson"), "--format", "ndjson"}).out);
  std::string line;
  std::size_t n = 0;
  while (std::getline(lines, line)) {
    CHECK(json::parse(line)["inputs"] == 24);
    ++n;
  }
  CHECK(n == 4);
}

// Makes shards 1 to n of the creatures in the program's folder.
Names make_shards(const Program& program, std::size_t n, const std::string& input) {
  Names parts;
  for (std::size_t i = 1; i <= n; ++i) {
    parts.push_back("part" + std::to_string(i) + ".json");
    program.must_run({"score", input, "--shard", std::to_string(i) + "/" + std::to_string(n), "-o",
                      parts.back()});
  }
  return parts;
}

TEST_CASE("merged shards have the bytes of one run, with the inputs gone") {
  for (std::size_t n : {1, 2, 5, 30}) {
    const Program program;
    program.write("in.ndjson", test::read_text(example("creatures.ndjson")));
    program.write("creature-heads.safetensors",
                  test::read_text(example("creature-heads.safetensors")));
    for (const char* format : {"text", "json", "ndjson", "csv"}) {
      program.must_run(
          {"score", "in.ndjson", "--format", format, "-o", std::string("one.") + format});
    }
    Names parts = make_shards(program, n, "in.ndjson");
    std::filesystem::remove(program.file("in.ndjson"));
    std::filesystem::remove(program.file("creature-heads.safetensors"));
    std::ranges::reverse(parts);
    for (const char* format : {"text", "json", "ndjson", "csv"}) {
      Names merge{"merge", "--format", format, "-o", std::string("many.") + format};
      merge.insert(merge.end(), parts.begin(), parts.end());
      program.must_run(merge);
      INFO(n << " shards, " << format);
      CHECK(program.read(std::string("many.") + format) ==
            program.read(std::string("one.") + format));
    }
  }
}

TEST_CASE("parts that do not make one run are refused") {
  const Program program;
  make_shards(program, 3, example("creatures.ndjson"));
  program.must_run(
      {"score", example("creatures.ndjson"), "--shard", "2/3", "--clark", "-o", "clark.json"});
  program.must_run({"score", example("creatures.ndjson"), "--shard", "1/2", "-o", "half.json"});
  const auto error = [&](Names parts) {
    parts.insert(parts.begin(), "merge");
    const test::ProcessResult result = program.run(parts);
    CHECK(result.code == 3);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK(error({"part1.json", "part3.json"}) ==
        "mha-viz: error: shard 2 is missing; expected all 3\n");
  CHECK(error({"part1.json", "part1.json"}) ==
        "mha-viz: error: part1.json: is shard 1 again, after part1.json\n");
  CHECK(error({"part1.json", "clark.json"}) ==
        "mha-viz: error: clark.json: was scored with other flags than part1.json\n");
  CHECK(error({"part1.json", "half.json"}).find("part of another run") != std::string::npos);
  CHECK(error({example("creature.json")}).find("not a partial result") != std::string::npos);
  program.write("broken.json", "{\"format\": \"mha-viz partial scores 1\", \"shard\": 1.5}");
  CHECK(error({"broken.json"}).find("/checksum: is missing; expected a string") !=
        std::string::npos);
  std::string edited = program.read("part2.json");
  edited.replace(edited.find("\"rows\": ") + 8, 1, "9");
  program.write("edited.json", edited);
  CHECK(error({"edited.json"}).find("the file was changed after it was written") !=
        std::string::npos);
  program.write("creature-heads.safetensors",
                test::read_text(example("creature-heads.safetensors")));
  program.write("other.ndjson", test::read_text(example("creatures.ndjson")));
  program.must_run({"score", "other.ndjson", "--shard", "2/3", "-o", "other.json"});
  CHECK(error({"part1.json", "other.json"}) ==
        "mha-viz: error: other.json: was scored from other inputs than part1.json\n");
  std::string cut = program.read("part1.json");
  cut.resize(cut.size() / 2);
  program.write("cut.json", cut);
  CHECK(error({"cut.json"}).find("not valid JSON") != std::string::npos);
}

TEST_CASE("a shard whose inputs all fail still gives its part") {
  const Program program;
  program.write("in.ndjson", "{\"text\": \"a b\"}\n{\"text\": 3}\n{\"text\": \"c\"}\n");
  program.run({"score", "in.ndjson", "-o", "one.txt"});
  program.must_run({"score", "in.ndjson", "--shard", "1/2", "-o", "p1.json"});
  CHECK(program.run({"score", "in.ndjson", "--shard", "2/2", "-o", "p2.json"}).code == 3);
  CHECK(program.run({"merge", "p1.json", "p2.json", "-o", "many.txt"}).code == 5);
  CHECK(program.read("many.txt") == program.read("one.txt"));
}

TEST_CASE("an output never overwrites an input") {
  const Program program;
  const std::string text = "{\"text\": \"a b\"}\n{\"text\": \"c d\"}\n";
  program.write("in.ndjson", text);
  CHECK(program.run({"score", "in.ndjson", "-o", "./in.ndjson"}).code == 2);
  CHECK(program.read("in.ndjson") == text);
  program.must_run({"score", "in.ndjson", "--shard", "1/1", "-o", "p.json"});
  const std::string part = program.read("p.json");
  CHECK(program.run({"merge", "p.json", "-o", "p.json"}).code == 2);
  CHECK(program.read("p.json") == part);
  CHECK(program.run({"score", "in.ndjson", "--figure", "x.png", "-o", "x.png"}).code == 2);
  CHECK(program.run({"score", "in.ndjson", "--figure", "-"}).code == 2);
  CHECK(program.run({"score", "in.ndjson", "--figure", "x.jpg"}).code == 2);
}

TEST_CASE("names from a file cannot command the terminal") {
  const Program program;
  program.write("in.json", R"({"tokens": ["a", "b"], "embeddings": [[1,0],[0,1]],)"
                           R"( "attention": {"n_heads": 1}, "weights": {"random": {}},)"
                           R"( "relations": [{"name": "\u001b[31mr\n", "pairs": [[1, 0]]}]})");
  const test::ProcessResult result = program.run({"score", "in.json"});
  CHECK(result.code == 0);
  CHECK(result.out.find('\033') == std::string::npos);
  CHECK(result.out.find("\\x1B[31mr\\x0A") != std::string::npos);
}

TEST_CASE("a broken first line costs one input, too") {
  const Program program;
  program.write("in.ndjson", "{\"text\": oops}x\n{\"text\": \"c d\"}\n");
  const test::ProcessResult result = program.run({"score", "in.ndjson"});
  CHECK(result.code == 5);
  CHECK(result.err.find("in.ndjson:1:10: not valid JSON") != std::string::npos);
}

TEST_CASE("conditions decide the exit code") {
  const Program program;
  const auto code = [&](const std::string& condition) {
    return program.run({"score", example("creatures.ndjson"), "--fail-if", condition}).code;
  };
  CHECK(code("previous<0.9@L0H0") == 0);
  CHECK(code("previous>0.9@L0H0") == 6);
  CHECK(code("previous>0.9") == 6);  // any head
  CHECK(code("pronoun-noun<0.95@L0H3") == 0);
  CHECK(code("induction>0.5@L0H9") == 2);
  CHECK(code("previous=0.9") == 2);
  CHECK(code("special<1") == 2);  // no head has it here: a check that cannot fail is no check
  CHECK(code("label-changed") == 2);
  CHECK(program.run({"score", example("creatures.ndjson"), "--fail-if", "prevous>0.9"}).err ==
        "mha-viz: error: --fail-if: there is no score 'prevous' here\n"
        "  hint: did you mean 'previous'?\n");
}

TEST_CASE("a bad line is named and skipped, or stops with --strict") {
  const Program program;
  program.write("in.ndjson", R"({"text": "the dog"})"
                             "\n"
                             R"({"text": 3})"
                             "\n"
                             R"({"text": "the cat"})"
                             "\n");
  const test::ProcessResult result = program.run({"score", "in.ndjson", "--format", "json"});
  CHECK(result.code == 5);
  CHECK(result.err.find("error: in.ndjson:2: /text: wrong type") != std::string::npos);
  const json scores = json::parse(result.out);
  CHECK(scores["inputs"] == 2);
  CHECK(scores["failed_inputs"] == 1);
  CHECK(scores["notes"].size() == 1);  // which model it is
  const test::ProcessResult strict = program.run({"score", "in.ndjson", "--strict", "-o", "x"});
  CHECK(strict.code == 3);
  CHECK_FALSE(program.has("x"));
}

TEST_CASE("a folder of documents stands for its documents") {
  const Program program;
  program.write("docs/b.json", R"({"text": "a b"})");
  program.write("docs/a.ndjson", "{\"text\": \"a\"}\n{\"text\": \"b c d\"}\n");
  program.write("docs/readme.txt", "not an input");
  CHECK(score_json(program, {"docs"})["inputs"] == 3);
}

TEST_CASE("thresholds can be listed and changed") {
  const Program program;
  const test::ProcessResult list = program.run({"score", "--list-thresholds"});
  CHECK(list.code == 0);
  CHECK(list.out.starts_with("previous      0.5\n"));
  const json scores =
      score_json(program, {example("creatures.ndjson"), "--threshold", "previous=0.999"});
  CHECK(head_of(scores, "L0H0")["label"]["name"] == "mixed");
  CHECK(scores["thresholds"]["previous"] == 0.999);
  CHECK(program.run({"score", example("creature.json"), "--threshold", "prev=0.9"}).code == 2);
  CHECK(program.run({"score", example("creature.json"), "--threshold", "next=1"}).code == 2);
}

TEST_CASE("the figure of relations is a PNG, and needs relations") {
  const Program program;
  program.must_run({"score", example("creatures.ndjson"), "--figure", "r.png", "-o", "t.txt"});
  CHECK(program.read("r.png").starts_with("\x89PNG"));
  CHECK(program.run({"score", example("text.json"), "--figure", "r2.png"}).code == 3);
  CHECK_FALSE(program.has("r2.png"));
}

TEST_CASE("run puts labels into the summary") {
  const Program program;
  program.must_run({example("causal.json"), "-o", "out", "--no-png"});
  const json summary = program.json("out/summary.json");
  const char* expected[] = {"previous", "duplicate", "induction", "first_token"};
  for (std::size_t h = 0; h < 4; ++h) CHECK(summary["heads"][h]["label"]["name"] == expected[h]);
}

TEST_CASE("GPT-2's L4H11 tracks the previous token more than any other head") {
  const auto folder = test::shared_folder("gpt2-small-captured");
  if (!folder) return;
  const Program program;
  for (const char* example_name : {"ex0", "ex1", "ex2"}) {
    const std::string file = *folder + "/" + example_name + "/captured.safetensors";
    const json scores =
        score_json(program, {file, "--tensor", "attention", "--by", "previous", "--top", "2"});
    CHECK(scores["heads"][0]["head"] == "L4H11");
    CHECK(scores["heads"][0]["label"]["name"] == "previous");
    CHECK(scores["heads"][0]["previous"]["value"] > 0.9);
  }
}

}  // namespace
}  // namespace mha
