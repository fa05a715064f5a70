// Wrong command lines: exit code 2, one message, a hint.
#include "program.hpp"

namespace mha {
namespace {

using test::example;
using test::kCreature;
using test::Program;
using Names = std::vector<std::string>;

struct Wrong {
  Names arguments;
  std::string err;
};

void check_usage(std::initializer_list<Wrong> cases) {
  for (const Wrong& wrong : cases) {
    const Program program;
    const test::ProcessResult result = program.run(wrong.arguments);
    CHECK(result.code == 2);
    CHECK(result.err == wrong.err);
    CHECK(result.out.empty());
    CHECK(program.files().empty());  // nothing was written
  }
}

constexpr const char* kCreatureHeads = "  hint: the input has heads L0H0, L0H1, L0H2, L0H3\n";

TEST_CASE("an unknown flag gets a spelling suggestion") {
  check_usage({
      {{kCreature, "--hedas", "L0H0"},
       "mha-viz: error: unknown flag --hedas\n  hint: did you mean '--heads'?\n"},
      {{"run", kCreature, "--no-pgn"},
       "mha-viz: error: unknown flag --no-pgn\n  hint: did you mean '--no-png'?\n"},
      {{"draw", kCreature, "--qurey=1", "-o", "x.png"},
       "mha-viz: error: unknown flag --qurey\n  hint: did you mean '--query'?\n"},
      {{kCreature, "--zzzzzzzz"},
       "mha-viz: error: unknown flag --zzzzzzzz\n  hint: see mha-viz run --help\n"},
  });
}

TEST_CASE("what is no figure in a file has no format or size of one") {
  const std::string hint = "\n  hint: see mha-viz report --help\n";
  check_usage({
      {{"report", kCreature, "--figure-format", "svg", "-o", "a.html"},
       "mha-viz: error: unknown flag --figure-format" + hint},
      {{"report", kCreature, "--width", "85mm", "-o", "a.html"},
       "mha-viz: error: unknown flag --width" + hint},
      {{"show", kCreature, "--figure-format", "svg"},
       "mha-viz: error: unknown flag --figure-format\n  hint: see mha-viz show --help\n"},
  });
}

TEST_CASE("a head or layer that the input has not is refused with the list of those it has") {
  check_usage({
      {{kCreature, "--heads", "L0H9"},
       std::string("mha-viz: error: --heads: there is no head L0H9\n") + kCreatureHeads},
      {{kCreature, "--heads", "L0H0,L7H*"},
       std::string("mha-viz: error: --heads: there is no head L7H*\n") + kCreatureHeads},
      {{kCreature, "--layers", "0-7"},
       std::string("mha-viz: error: --layers: there is no layer 1\n") + kCreatureHeads},
      {{kCreature, "--heads", "0"},
       "mha-viz: error: --heads: expected names like L4H11, L5H* or L5mean, got '0'\n"},
      {{kCreature, "--layers", "a-b"},
       "mha-viz: error: --layers: expected a list like 0-3,7, got 'a-b'\n"},
  });
}

TEST_CASE("a head that --layers leaves out is not said to be missing") {
  check_usage({{{example("causal.json"), "--layers", "0", "--heads", "L1H0"},
                "mha-viz: error: no head is both in --layers and in --heads\n"}});
}

TEST_CASE("values that a flag does not take are refused") {
  check_usage({
      {{kCreature, "--memory", "10x"},
       "mha-viz: error: --memory: not a size; expected a number like 500M or 2G, got '10x'\n"},
      {{kCreature, "--range", "1..0"},
       "mha-viz: error: --range: expected shared, head or LOW..HIGH like 0..1, got '1..0'\n"},
      {{kCreature, "--weights", "nyp"},
       "mha-viz: error: --weights: nyp not in {json,npy,safetensors,csv,none}\n"
       "  hint: see mha-viz run --help\n"},
      {{kCreature, "--attention-scale", "nan"},
       "mha-viz: error: --attention-scale: expected a number above 0, got 'nan'\n"
       "  hint: see mha-viz run --help\n"},
      {{kCreature, "--attention-scale", "-1"},
       "mha-viz: error: --attention-scale: expected a number above 0, got '-1'\n"
       "  hint: see mha-viz run --help\n"},
      {{kCreature, "--softcap", "inf"},
       "mha-viz: error: --softcap: expected a number above 0, got 'inf'\n"
       "  hint: see mha-viz run --help\n"},
      {{kCreature, "--rope", "--rope-fraction", "7"},
       "mha-viz: error: --rope-fraction: expected a number above 0 and at most 1, got '7'\n"
       "  hint: see mha-viz run --help\n"},
      {{"--ids", "1,2,x"}, "mha-viz: error: --ids: expected numbers like 1,2,3, got '1,2,x'\n"},
      {{"--ids", "1], \"text\": [2"},
       "mha-viz: error: --ids: expected numbers like 1,2,3, got '1], \"text\": [2'\n"},
      {{kCreature, "-o", ""},
       "mha-viz: error: --output: expected the name of a file or folder, got ''\n"
       "  hint: see mha-viz run --help\n"},
      {{"steps", kCreature, "-o", ""},
       "mha-viz: error: --output: expected the name of a file or folder, got ''\n"
       "  hint: see mha-viz steps --help\n"},
      {{"merge", "part.json", "-o", ""},
       "mha-viz: error: --output: expected the name of a file or folder, got ''\n"
       "  hint: see mha-viz merge --help\n"},
      {{"draw", kCreature, "--heads", "L0H0", "-o", ""},
       "mha-viz: error: --output: expected the name of a file or folder, got ''\n"
       "  hint: see mha-viz draw --help\n"},
      {{kCreature, "--alibi", "--rope"},
       "mha-viz: error: --rope excludes --alibi\n  hint: see mha-viz run --help\n"},
  });
}

TEST_CASE("a number of threads below 0 is refused") {
  const Program program;
  const test::ProcessResult result = program.run({kCreature, "--threads", "-1"});
  CHECK(result.code == 2);
  CHECK(result.err.find("--threads") != std::string::npos);
}

TEST_CASE("draw names what it needs") {
  check_usage({
      {{"draw", kCreature},
       "mha-viz: error: --output is required\n"
       "  hint: see mha-viz draw --help\n"},
      {{"draw", kCreature, "-o", "x.png"},
       "mha-viz: error: draw needs one head, and 4 are selected\n"
       "  hint: name one, for example --heads L0H0, or draw all of them with --figure overview\n"},
      {{"draw", kCreature, "-o", "x.png", "--heads", "L0H0", "--query", "12"},
       "mha-viz: error: --query: expected an index from 0 to 11 or the text of a token, got "
       "'12'\n"},
      {{"draw", kCreature, "-o", "x.png", "--heads", "L0H0", "--query", "creatur"},
       "mha-viz: error: --query: expected an index from 0 to 11 or the text of a token, got "
       "'creatur'\n  hint: did you mean 'creature'?\n"},
      {{"draw", kCreature, "-o", "x.png", "--heads", "L0H0", "--query", "the"},
       "mha-viz: error: --query: several tokens are 'the'\n"
       "  hint: name one by its index: 0, 5\n"},
      {{"draw", kCreature, "-o", "x.png", "--figure", "overview", "--query", "0"},
       "mha-viz: error: --query goes with --figure head alone\n"},
      {{"draw", example("creatures.ndjson"), "-o", "x.png", "--heads", "L0H0"},
       "mha-viz: error: draw takes one input, and there are several\n"
       "  hint: use run for several, pick a line (sed -n 3p FILE | mha-viz draw -), or an array "
       "(--tensor NAME)\n"},
  });
}

TEST_CASE("without arguments the help is printed and the exit code is 2") {
  const test::ProcessResult result = Program().run({});
  CHECK(result.code == 2);
  CHECK(result.out.find("Usage: mha-viz") != std::string::npos);
  CHECK(result.err.empty());
}

TEST_CASE("help and version go to stdout and succeed") {
  const Program program;
  for (const Names& arguments :
       {Names{"--help"}, Names{"-h"}, Names{"run", "--help"}, Names{"draw", "--help"}}) {
    const test::ProcessResult result = program.run(arguments);
    CHECK(result.code == 0);
    CHECK(result.out.find("mha-viz") != std::string::npos);
    CHECK(result.err.empty());
  }
  const test::ProcessResult version = program.run({"--version"});
  CHECK(version.code == 0);
  CHECK(version.out == "mha-viz " MHA_VERSION "\n");
}

TEST_CASE("a misspelt command is named, whatever follows it") {
  const char* err =
      "mha-viz: error: there is no command and no file 'drow'\n"
      "  hint: did you mean 'draw'?\n";
  check_usage({{{"drow"}, err}, {{"drow", kCreature, "-o", "x.png"}, err}});
}

TEST_CASE("a file that is spelt like a command is an input") {
  const Program program;
  program.write("drow", R"({"text": "a b"})");
  program.must_run({"drow", "-o", "out", "--no-png"});
  CHECK(program.has("out/summary.json"));
}

TEST_CASE("a command line that names no input says so") {
  for (const Names& arguments : {Names{"run"}, Names{"-o", "out"}, Names{"draw", "-o", "x.png"}}) {
    const Program program;
    const test::ProcessResult result = program.run(arguments);
    CHECK(result.code == 2);
    CHECK(result.err.find("no input") != std::string::npos);
    CHECK(program.files().empty());
  }
}

}  // namespace
}  // namespace mha
