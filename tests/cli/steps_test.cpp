// steps: one head step by step, as a figure, a folder, JSON or text.
#include <cmath>
#include <sstream>

#include "program.hpp"

namespace mha {
namespace {

using nlohmann::json;
using test::example;
using test::kCreature;
using test::Program;
using Names = std::vector<std::string>;

bool is_png(const std::string& bytes) {
  return bytes.starts_with("\x89PNG\r\n\x1A\n") && bytes.size() > 1000;
}

unsigned png_number(const std::string& png, std::size_t at) {
  unsigned value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(png[at + i]);
  return value;
}

Names step_names(const json& head) {
  Names names;
  for (const json& step : head["steps"]) names.push_back(step["name"]);
  return names;
}

const json& step_of(const json& head, const std::string& name) {
  for (const json& step : head["steps"]) {
    if (step["name"] == name) return step;
  }
  FAIL("there is no step " << name);
  return head;
}

json steps_json(const Program& program, const Names& arguments) {
  Names all = {"steps"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), {"-o", "-"});
  const test::ProcessResult result = program.run(all);
  INFO(result.err);
  REQUIRE(result.code == 0);
  return json::parse(result.out);
}

TEST_CASE("steps prints every matrix of a head as one JSON document") {
  const Program program;
  const json document =
      steps_json(program, {kCreature, "--heads", "L0H3", "--pair", "it,creature"});
  CHECK(document["format"] == "mha-viz steps 1");
  REQUIRE(document["heads"].size() == 1);
  const json& head = document["heads"][0];
  CHECK(head["head"] == "L0H3");
  CHECK(step_names(head) == Names{"input", "query-weights", "key-weights", "value-weights",
                                  "queries", "keys", "values", "scores", "scaled", "weights",
                                  "head-output", "concat", "output-weights", "output"});
  for (const json& step : head["steps"]) {
    INFO(step["name"]);
    CHECK(step["values"].size() == step["shape"]["n_rows"]);
    CHECK(step["values"][0].size() == step["shape"]["n_cols"]);
    CHECK_FALSE(step["formula"].get<std::string>().empty());
    CHECK_FALSE(step["sentence"].get<std::string>().empty());
  }
  CHECK(step_of(head, "scaled")["formula"] == "Z = S / √d_k");
  CHECK(step_of(head, "queries")["shape"]["cols"] == "d_head");
  CHECK(program.files().empty());
}

TEST_CASE("the steps end in the weights and outputs of run") {
  const Program program;
  for (const char* name : {"creature.json", "gqa.json", "causal.json", "cross-attention.json"}) {
    INFO(name);
    const json document = steps_json(program, {example(name), "--heads", "L0H1"});
    const json& head = document["heads"][0];
    program.must_run({example(name), "-o", "out", "--no-png"});
    const json weights = program.json("out/attention.json")["attention_weights"][0][1];
    const json output = program.json("out/output.json")["outputs"][0];
    const auto check = [](const json& got, const json& want) {
      REQUIRE(got.size() == want.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        REQUIRE(got[i].size() == want[i].size());
        for (std::size_t j = 0; j < got[i].size(); ++j) {
          CHECK(std::fabs(got[i][j].get<double>() - want[i][j].get<double>()) <= 1e-6);
        }
      }
    };
    check(step_of(head, "weights")["values"], weights);
    check(step_of(head, "output")["values"], output);
  }
}

TEST_CASE("the numbers of the pair are those of the matrices") {
  const Program program;
  const json document =
      steps_json(program, {kCreature, "--heads", "L0H3", "--pair", "it,creature"});
  const json& pair = document["heads"][0]["pair"];
  CHECK(pair["query"] == 9);
  CHECK(pair["key"] == 2);
  CHECK(pair["query_token"] == "it");
  CHECK(pair["dot"]["value"].get<double>() == Approx(28));
  CHECK(pair["scores"][1]["value"].get<double>() == Approx(7));
  CHECK(pair["exponential"].get<double>() / pair["row_sum"].get<double>() ==
        Approx(pair["weight"].get<double>()));
  const json& weights = step_of(document["heads"][0], "weights");
  CHECK(weights["values"][9][2].get<double>() == Approx(pair["weight"].get<double>()));
  CHECK(weights["worked"][1].get<std::string>().find("= 0.99 of the row of it") !=
        std::string::npos);
}

TEST_CASE("a pair is named by texts or indices; without one a telling pair is taken") {
  const Program program;
  const auto run = [&](const Names& pair) {
    Names arguments = {"steps", kCreature, "--heads", "L0H3", "-o", "-"};
    arguments.insert(arguments.end(), pair.begin(), pair.end());
    return program.run(arguments).out;
  };
  const std::string by_name = run({"--pair", "it,creature"});
  CHECK((run({"--pair", "9,2"}) == by_name));
  CHECK((run({"--pair", "it,2"}) == by_name));
  CHECK((run({}) == by_name));
  CHECK((run({"--pair", "it,berry"}) != by_name));
}

TEST_CASE("a token may be a comma, and may be named without its space mark") {
  const Program program;
  program.write("in.json",
                R"({"tokens": ["yes", ",", "\u0120sir"], "embeddings": [[1,0],[0,1],[1,1]],
                              "attention": {"n_heads": 1}})");
  const auto pair_of = [&](const std::string& text) {
    const json pair = steps_json(program, {"in.json", "--pair", text, "-q"})["heads"][0]["pair"];
    return std::pair<int, int>(pair["query"], pair["key"]);
  };
  CHECK(pair_of(",,yes") == std::pair(1, 0));
  CHECK(pair_of("yes,,") == std::pair(0, 1));
  CHECK(pair_of("sir,yes") == std::pair(2, 0));
  CHECK(pair_of(",,,") == std::pair(1, 1));
}

TEST_CASE("a token that is not there, or there twice, is refused with what could be meant") {
  const Program program;
  const auto refuse = [&](const std::string& pair) {
    const test::ProcessResult result =
        program.run({"steps", kCreature, "--heads", "L0H3", "--pair", pair, "-o", "x.png"});
    CHECK(result.code == 2);
    CHECK_FALSE(program.has("x.png"));
    return result.err;
  };
  CHECK(refuse("it,creatur") ==
        "mha-viz: error: --pair: expected an index from 0 to 11 or the text of a token, got "
        "'creatur'\n  hint: did you mean 'creature'?\n");
  CHECK(refuse("the,it") ==
        "mha-viz: error: --pair: several tokens are 'the'\n"
        "  hint: name one by its index: 0, 5\n");
  CHECK(refuse("it").find("expected QUERY,KEY") != std::string::npos);
  CHECK(refuse("it,12").find("from 0 to 11") != std::string::npos);
}

TEST_CASE("one figure reads from top to bottom") {
  const Program program;
  program.must_run({"steps", kCreature, "--heads", "L0H3", "-o", "one.png"});
  program.must_run({"steps", kCreature, "--heads", "L0H0,L0H3", "-o", "two.png"});
  CHECK(program.files() == Names{"one.png", "two.png"});
  const std::string one = program.read("one.png");
  const std::string two = program.read("two.png");
  REQUIRE(is_png(one));
  REQUIRE(is_png(two));
  CHECK(png_number(one, 20) > png_number(one, 16));
  CHECK(png_number(two, 16) == png_number(one, 16));
  CHECK(png_number(two, 20) > 3 * png_number(one, 20) / 2);
}

TEST_CASE("a folder gets the figure, a picture for each step and the numbers") {
  const Program program;
  const test::ProcessResult result =
      program.run({"steps", kCreature, "--heads", "L0H1,L0H3", "-o", "out"});
  CHECK(result.code == 0);
  CHECK(result.err == "wrote 32 files to out\n");
  CHECK(result.out.empty());
  const Names files = program.files("out");
  CHECK(files.size() == 32);
  for (const char* name : {"L00H01.png", "L00H03.png", "L00H01/01-input.png",
                           "L00H03/08-scores.png", "L00H03/14-output.png"}) {
    INFO(name);
    REQUIRE(program.has(std::string("out/") + name));
    CHECK(is_png(program.read(std::string("out/") + name)));
  }
  CHECK(program.json("out/steps.json")["heads"].size() == 2);
  CHECK(program.json("out/summary.json")["heads"] == json({"L0H1", "L0H3"}));
  program.must_run({"steps", kCreature, "--heads", "L0H3", "-o", "own.png"});
  CHECK((program.read("own.png") == program.read("out/L00H03.png")));
}

TEST_CASE("a later run replaces its own folder, and no other") {
  const Program program;
  program.must_run({"steps", kCreature, "--heads", "L0H1", "-o", "out"});
  program.must_run({"steps", kCreature, "--heads", "L0H2", "-o", "out"});
  CHECK_FALSE(program.has("out/L00H01.png"));
  CHECK(program.has("out/L00H02.png"));
  std::filesystem::create_directory(program.file("mine"));
  program.write("mine/letter.txt", "dear");
  CHECK(program.run({"steps", kCreature, "--heads", "L0H2", "-o", "mine"}).code == 4);
  CHECK(program.files("mine") == Names{"letter.txt"});
}

TEST_CASE("what fails leaves nothing behind") {
  const Program program;
  CHECK(program.run({"steps", "none.json", "-o", "out"}).code == 3);
  CHECK(program.run({"steps", "none.json", "-o", "x.png"}).code == 3);
  CHECK(program.run({"steps", kCreature, "--heads", "L0H9", "-o", "out"}).code == 2);
  CHECK(program.run({"steps", kCreature, "-o", "no/such/x.png"}).code == 4);
  CHECK(program.files().empty());
}

TEST_CASE("any number of threads writes the same bytes") {
  const Program program;
  program.must_run(
      {"steps", example("causal.json"), "--heads", "L1H0", "-o", "a", "--threads", "1"});
  program.must_run(
      {"steps", example("causal.json"), "--heads", "L1H0", "-o", "b", "--threads", "4"});
  REQUIRE(program.files("a") == program.files("b"));
  for (const std::string& file : program.files("a")) {
    INFO(file);
    CHECK((program.read("a/" + file) == program.read("b/" + file)));
  }
}

TEST_CASE("as text the matrices are aligned and no line is wider than the window") {
  const Program program;
  for (const char* columns : {"60", "100"}) {
    const test::ProcessResult result = program.run_with_environment(
        {"steps", kCreature, "--heads", "L0H3", "--terminal"}, {std::string("COLUMNS=") + columns});
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    std::istringstream lines(result.out);
    std::size_t widest = 0;
    for (std::string line; std::getline(lines, line);) {
      std::size_t width = 0;
      for (const char c : line) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
      widest = std::max(widest, width);
    }
    CHECK(widest <= std::stoul(columns));
    CHECK(widest > std::stoul(columns) * 3 / 4);
    CHECK(result.out.find("| q·k = 3.50·1.00 + 3.50·1.00 + 3.50·1.00 + … = 28.00") !=
          std::string::npos);
    CHECK(result.out.find("| 28.00 / √16 = 7.00") != std::string::npos);
  }
  CHECK(program.files().empty());
}

TEST_CASE("control codes in tokens do not reach the terminal") {
  const Program program;
  program.write("in.json", R"({"tokens": ["a\u001b[31m", "b"], "embeddings": [[1,0],[0,1]],
                              "attention": {"n_heads": 1}})");
  const test::ProcessResult result = program.run({"steps", "in.json", "--terminal", "-q"});
  CHECK(result.code == 0);
  CHECK(result.out.find('\x1b') == std::string::npos);
}

TEST_CASE("without -o the results go to a folder where stdout is no terminal") {
  const Program program;
  const test::ProcessResult result = program.run({"steps", kCreature, "--heads", "L0H3"});
  CHECK(result.code == 0);
  CHECK(result.err == "wrote 17 files to mha-viz-steps\n");
  CHECK(program.has("mha-viz-steps/L00H03.png"));
}

TEST_CASE("without --heads the first head is walked through, and a note says so") {
  const Program program;
  const test::ProcessResult result = program.run({"steps", kCreature, "-o", "-"});
  CHECK(json::parse(result.out)["heads"][0]["head"] == "L0H0");
  CHECK(result.err.find("walks through L0H0, the first of 4 heads") != std::string::npos);
}

TEST_CASE("known weights have no steps, long inputs and several inputs are refused") {
  const Program program;
  const auto refuse = [&](const Names& arguments, int code, const char* part) {
    Names all = {"steps"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"-o", "out"});
    const test::ProcessResult result = program.run(all);
    CHECK(result.code == code);
    CAPTURE(result.err);
    CHECK(result.err.find(part) != std::string::npos);
    CHECK(result.err.find("hint: ") != std::string::npos);
    CHECK_FALSE(program.has("out"));
  };
  refuse({example("precomputed.json")}, 3, "holds attention weights that are known already");
  refuse({example("creatures.ndjson")}, 2, "steps takes one input, and there are several");
  refuse({kCreature, kCreature}, 2, "steps takes one input, and there are several");
  std::string text;
  for (int i = 0; i < 600; ++i) text += "w ";
  program.write("long.json", R"({"positions": "sinusoidal", "text": ")" + text + "\"}");
  refuse({"long.json"}, 3, "expected at most 512 tokens, got 600");
  refuse({kCreature, "--memory", "2K"}, 3, "");
}

TEST_CASE("wrong combinations are usage errors") {
  const Program program;
  CHECK(program.run({"steps", kCreature, "--terminal", "-o", "out"}).code == 2);
  CHECK(program.run({"steps", kCreature, "--cost", "-o", "-"}).code == 2);
  CHECK(program.run({"steps", kCreature, "-o", "x.jpg"}).code == 2);
  CHECK(program.run({"steps", kCreature, "--heads", "L0mean", "-o", "x.png"}).code == 2);
  CHECK(program.run({"steps", "-o", "x.png"}).code == 2);
  CHECK(program.files().empty());
}

TEST_CASE("weights that are no numbers are warned about, and refused with --strict") {
  const Program program;
  program.write("in.json", R"({"tokens": ["a", "b"], "embeddings": [[3e38,3e38],[1,1]],
                              "attention": {"n_heads": 1}, "weights":
                              {"W_Q": [[1,1],[1,1]], "W_K": [[1,0],[0,1]], "W_V": [[1,0],[0,1]],
                               "W_O": [[1,0],[0,1]]}})");
  const test::ProcessResult result = program.run({"steps", "in.json", "-o", "x.png"});
  CHECK(result.code == 0);
  CHECK(result.err.find("mha-viz: warning: in.json: L0H0: 4 weights are not finite numbers") !=
        std::string::npos);
  CHECK(program.run({"steps", "in.json", "-o", "y.png", "--strict"}).code == 3);
  CHECK_FALSE(program.has("y.png"));
}

TEST_CASE("hidden cells are null in JSON, and the pair says what hides it") {
  const Program program;
  const json document =
      steps_json(program, {example("causal.json"), "--heads", "L0H0", "--pair", "1,5"});
  const json& head = document["heads"][0];
  CHECK(step_of(head, "masked")["values"][1][5].is_null());
  CHECK(step_of(head, "weights")["values"][1][5] == 0);
  CHECK(head["pair"]["masked_by"] == "causal");
  CHECK(head["pair"]["weight"] == 0);
}

TEST_CASE("scores, queries and keys are walked from where they start") {
  const Program program;
  program.write("q.json", R"({"tokens": ["a", "b"], "embeddings": [[1,2,3,4],[4,3,2,1]],
                             "attention": {"n_heads": 2, "causal": true, "softcap": 5,
                                           "temperature": 2}})");
  const json document = steps_json(program, {"q.json", "--heads", "L0H1", "-q"});
  const Names names = step_names(document["heads"][0]);
  for (const char* name : {"softcap", "temperature", "masked"}) {
    CHECK(std::ranges::find(names, name) != names.end());
  }
}

TEST_CASE("the cost table counts the same products for any number of heads") {
  const Program program;
  const test::ProcessResult result = program.run({"steps", kCreature, "--cost"});
  CHECK(result.code == 0);
  CHECK(program.files().empty());
  std::istringstream lines(result.out);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> row;
    for (std::string word; words >> word;) row.push_back(word);
    if (row.size() == 8 && std::isdigit(static_cast<unsigned char>(row[0][0])) != 0) {
      rows.push_back(row);
    }
  }
  REQUIRE(rows.size() == 4);
  CHECK(rows[0][0] == "1");
  CHECK(rows[3][0] == "8");
  for (const auto& row : rows) {
    for (const std::size_t same : {2, 3, 5, 6}) CHECK(row[same] == rows[0][same]);
    CHECK(std::stoul(row[4]) == 144 * std::stoul(row[0]));  // 12 x 12 cells a head
  }
  CHECK(result.out.find("ms") == std::string::npos);
  CHECK(result.err.find("measured here on one thread: 1 head ") != std::string::npos);
  CHECK(program.run({"steps", kCreature, "--cost"}).out == result.out);
  CHECK(program.run({"steps", example("precomputed.json"), "--cost"}).code == 3);
}

TEST_CASE("the cost table comes beside a figure, too") {
  const Program program;
  const test::ProcessResult result =
      program.run({"steps", kCreature, "--heads", "L0H3", "--cost", "-q", "-o", "x.png"});
  CHECK(result.code == 0);
  CHECK(result.err.empty());
  CHECK(is_png(program.read("x.png")));
  CHECK(result.out.find("weighted sum") != std::string::npos);
}

TEST_CASE("how the figure looks can be chosen") {
  const Program program;
  program.must_run({"steps", kCreature, "--heads", "L0H3", "-o", "plain.png"});
  for (const Names& look : {Names{"--theme", "dark"}, Names{"--colormap", "magma"},
                            Names{"--title", "A title"}, Names{"--dpi", "200"}}) {
    Names arguments = {"steps", kCreature, "--heads", "L0H3", "-o", "other.png"};
    arguments.insert(arguments.end(), look.begin(), look.end());
    program.must_run(arguments);
    INFO(look[0]);
    CHECK((program.read("other.png") != program.read("plain.png")));
  }
}

}  // namespace
}  // namespace mha
