// run --analysis and draw --figure: similarity, map, contribution, rollout, relations, norms.
#include "program.hpp"

namespace mha {
namespace {

using test::example;
using test::Program;
using Names = std::vector<std::string>;
using nlohmann::json;

TEST_CASE("all analyses of a stack are written, listed and consistent") {
  const Program program;
  program.must_run({example("causal.json"), "-o", "out", "--analysis", "all"});
  const Names extra = {"contribution.json", "contribution.png", "flow.png",
                       "heads-map.png",     "rollout.json",     "rollout.png",
                       "similarity.json",   "similarity.png"};
  const json summary = program.json("out/summary.json");
  const Names listed = summary["files"];
  for (const std::string& name : extra) {
    INFO(name);
    CHECK(program.has("out/" + name));
    CHECK(std::ranges::find(listed, name) != listed.end());
  }
  const json likeness = program.json("out/similarity.json");
  const std::size_t n = likeness["heads"].size();
  REQUIRE(n == 4);
  for (std::size_t a = 0; a < n; ++a) {
    CHECK(likeness["distances"][a][a] == 0);
    for (std::size_t b = 0; b < n; ++b) {
      CHECK(likeness["distances"][a][b] == likeness["distances"][b][a]);
    }
  }
  CHECK(likeness["merges"].size() == n - 1);
  CHECK(likeness["groups_at"].get<double>() ==
        Approx(likeness["merges"].back()["distance"].get<double>() / 2));
  const json contribution = program.json("out/contribution.json");
  for (std::size_t token = 1; token < 13; ++token) {  // token 0 gets nothing in layer 0
    for (std::size_t layer = 0; layer < 2; ++layer) {
      const double sum = contribution["heads"][2 * layer]["share"][token].get<double>() +
                         contribution["heads"][2 * layer + 1]["share"][token].get<double>();
      CHECK(sum == Approx(1).margin(1e-5));
    }
  }
  const json rollout = program.json("out/rollout.json");
  for (const json& row : rollout["rollout"]) {
    double sum = 0;
    for (const json& value : row) sum += value.get<double>();
    CHECK(sum == Approx(1).margin(1e-5));
  }
}

TEST_CASE("heads that are copies of each other are listed as redundant") {
  const Program program;
  program.write("in.json", R"({"tokens": ["a", "b"], "attention_weights":
    [[[[1,0],[0.5,0.5]], [[1,0],[0.5,0.5]], [[0,1],[1,0]]]]})");
  program.must_run({"in.json", "-o", "out", "--analysis", "scores,similarity"});
  CHECK(program.json("out/summary.json")["redundant"] == json{"L0H0 and L0H1: 0.0000 apart"});
  CHECK_FALSE(program.has("out/heads-map.png"));
  program.must_run({"in.json", "-o", "cut", "--analysis", "similarity", "--groups-at", "1"});
  CHECK(program.json("cut/similarity.json")["groups"].size() == 1);
}

TEST_CASE("what does not apply is left out by all, and refused by name") {
  const Program program;
  program.must_run({example("precomputed.json"), "-o", "out", "--analysis", "all"});
  CHECK_FALSE(program.has("out/contribution.json"));
  const std::string notes = program.json("out/summary.json")["notes"].dump();
  CHECK(notes.find("contributions need the values V") != std::string::npos);
  const test::ProcessResult named =
      program.run({example("precomputed.json"), "-o", "no", "--analysis", "contribution"});
  CHECK(named.code == 3);
  CHECK_FALSE(program.has("no"));
  CHECK(program.run({example("cross-attention.json"), "-o", "no", "--analysis", "rollout"}).code ==
        3);
  CHECK(program.run({example("creature.json"), "-o", "no", "--analysis", "simlarity"})
            .err.find("did you mean 'similarity'?") != std::string::npos);
}

TEST_CASE("a head without a row that counts is left out of tree and map") {
  const Program program;
  program.write("in.json", R"({"tokens": ["a", "b"], "attention_weights":
    [[[[1,0],[0.5,0.5]], [[0,0],[0,0]], [[0,1],[1,0]]]]})");
  program.must_run({"in.json", "-o", "out", "--analysis", "all"});
  const json likeness = program.json("out/similarity.json");
  CHECK(likeness["heads"] == json{"L0H0", "L0H2"});
  CHECK(likeness["left_out"] == json{"L0H1"});
  CHECK(likeness["merges"].size() == 1);
}

TEST_CASE("rollout takes all heads or none") {
  const Program program;
  const Names draw{"draw", example("causal.json"), "--figure", "rollout", "--heads", "L0H0", "-o",
                   "x.png"};
  CHECK(program.run(draw).code == 3);
  program.must_run({example("causal.json"), "--layers", "0", "--analysis", "all", "-o", "out"});
  CHECK_FALSE(program.has("out/rollout.json"));
  CHECK(program.run({example("causal.json"), "-o", "-", "--analysis", "all"}).code == 2);
}

TEST_CASE("norm-based maps stand beside the plain ones") {
  const Program program;
  program.must_run({example("causal.json"), "-o", "out", "--map", "norm"});
  for (const char* name : {"norm/L00H00.png", "norm/L01H01.png", "norm/overview.png",
                           "norm/L00.png", "norm/L01.png"}) {
    CHECK(program.has(std::string("out/") + name));
  }
  CHECK(program.run({example("precomputed.json"), "-o", "no", "--map", "norm"}).code == 3);
}

TEST_CASE("every figure can be drawn alone") {
  const Program program;
  for (const char* figure : {"similarity", "map", "contribution", "rollout", "flow", "overview"}) {
    INFO(figure);
    program.must_run({"draw", example("causal.json"), "--figure", figure, "-o", "x.png"});
    CHECK(program.read("x.png").starts_with("\x89PNG"));
  }
  program.must_run({"draw", example("creature.json"), "--figure", "relations", "-o", "r.png"});
  program.must_run(
      {"draw", example("causal.json"), "--heads", "L1H0", "--map", "norm", "-o", "n.png"});
  program.must_run(
      {"draw", example("causal.json"), "--figure", "rollout", "--follow", "3,7", "-o", "f.png"});
  CHECK(program
            .run({"draw", example("causal.json"), "--figure", "rollout", "--follow", "99", "-o",
                  "no.png"})
            .code == 2);
  CHECK(
      program.run({"draw", example("precomputed.json"), "--figure", "contribution", "-o", "no.png"})
          .code == 3);
  CHECK_FALSE(program.has("no.png"));
}

unsigned height_of(const std::string& png) {
  unsigned value = 0;
  for (std::size_t at = 20; at < 24; ++at) {
    value = value << 8 | static_cast<unsigned char>(png[at]);
  }
  return value;
}

TEST_CASE("where tokens share cells, followed tokens keep rows of their own") {
  const Program program;
  std::string tokens = "\"w\"";
  for (int i = 1; i < 1000; ++i) tokens += ", \"w" + std::to_string(i) + "\"";
  program.write("in.json", "{\"positions\": \"sinusoidal\", \"tokens\": [" + tokens + "]}");
  const auto draw = [&](const std::string& follow) {
    program.must_run({"draw", "in.json", "--max-size", "400", "-q", "--figure", "rollout",
                      "--follow", follow, "-o", "x.png"});
    return height_of(program.read("x.png"));
  };
  const unsigned four = draw("1,5,9,299");
  const unsigned eight = draw("1,2,3,5,8,9,11,299");
  CHECK(eight - four >= 4 * 10);  // each row as high as its label
}

TEST_CASE("analyses have the same bytes for every number of threads") {
  const Program program;
  const Names common{example("causal.json"), "--analysis", "all", "--map", "norm"};
  for (const char* threads : {"1", "3"}) {
    Names arguments = common;
    arguments.insert(arguments.end(), {"--threads", threads, "-o", threads});
    program.must_run(arguments);
  }
  REQUIRE(program.files("1") == program.files("3"));
  for (const std::string& name : program.files("1")) {
    INFO(name);
    CHECK(program.read("1/" + name) == program.read("3/" + name));
  }
}

TEST_CASE("a treebank gives words and relations to inputs that follow its sentences") {
  const Program program;
  program.write("t.conllu",
                "# sent_id = one\n"
                "1\tcats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n"
                "2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n"
                "# sent_id = two\n"
                "1\tbig\tbig\tADJ\t_\t_\t2\tamod\t_\t_\n"
                "2\tdogs\tdog\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
                "3\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_\n\n");
  // The subject is split into pieces; head 0 goes from each word to the next.
  program.write("in.ndjson",
                R"({"tokens": ["[CLS]", "ca", "##ts", "sleep"], "attention_weights": [[[)"
                R"([1,0,0,0],[0,0.2,0,0.8],[0,0,0.2,0.8],[1,0,0,0]]]]})"
                "\n"
                R"({"tokens": ["big", "dogs", "bark"], "attention_weights": [[[)"
                R"([0,1,0],[0,0,1],[0,0,1]]]]})"
                "\n");
  const test::ProcessResult result =
      program.run({"score", "in.ndjson", "--conllu", "t.conllu", "--format", "json"});
  INFO(result.err);
  REQUIRE(result.code == 0);
  const json scores = json::parse(result.out);
  json nsubj;
  for (const json& relation : scores["relations"]) {
    if (relation["name"] == "nsubj" && relation["reversed"] == false) nsubj = relation;
  }
  CHECK(nsubj["rows"] == 2);
  CHECK(nsubj["right"] == 2);
  CHECK(nsubj["baseline_offset"] == 1);
  program.write("wrong.ndjson", R"({"tokens": ["dogs", "sleep"]})"
                                "\n");
  const test::ProcessResult wrong = program.run({"score", "wrong.ndjson", "--conllu", "t.conllu"});
  CHECK(wrong.code == 3);
  CHECK(wrong.err.find("sentence one (line 1): word 1 'cats'") != std::string::npos);
  program.write("three.ndjson", program.read("in.ndjson") + R"({"text": "a"})" + "\n");
  CHECK(program.run({"score", "three.ndjson", "--conllu", "t.conllu"})
            .err.find("t.conllu: has only 2 sentences") != std::string::npos);
}

}  // namespace
}  // namespace mha
