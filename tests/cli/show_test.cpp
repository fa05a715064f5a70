// show without a terminal: text alone; and wrong command lines.
#include "program.hpp"
#include "support/terminal_grid.hpp"

namespace mha {
namespace {

using test::example;
using test::Program;
using Names = std::vector<std::string>;

const std::string kShownInput = example("creature.json");

TEST_CASE("show prints a heatmap of one head as text, and nothing but text") {
  const Program program;
  const test::ProcessResult result = program.run_with_environment(
      {"show", kShownInput, "--heads", "L0H0"},
      {"COLORTERM=truecolor", "TERM=xterm-kitty", "LC_ALL=C.UTF-8", "COLUMNS=100"});
  CHECK(result.code == 0);
  CHECK(result.err.empty());
  CHECK(result.out.find('\033') == std::string::npos);
  CHECK(result.out.find("L0H0  previous token") == 0);
  CHECK(result.out.find("\n  fluffy @@@@") != std::string::npos);
  CHECK(program.files().empty());
}

TEST_CASE("show prints all heads and their table, as score prints it") {
  const Program program;
  const test::ProcessResult result =
      program.run_with_environment({"show", kShownInput}, {"LC_ALL=C.UTF-8", "COLUMNS=150"});
  CHECK(result.code == 0);
  CHECK(result.out.find('\033') == std::string::npos);
  CHECK(result.out.find("H0 previous") != std::string::npos);
  const test::ProcessResult score = program.run({"score", kShownInput});
  // The same words and numbers for a head, up to the remarks.
  const auto words = [](const std::string& text, const std::string& head) {
    std::istringstream line(text.substr(text.find("\n" + head + "  ") + 1));
    std::vector<std::string> out;
    for (std::string word; out.size() < 14 && line >> word;) out.push_back(word);
    return out;
  };
  CHECK(words(result.out, "L0H3") == words(score.out, "L0H3"));
  CHECK(words(result.out, "L0H3")[0] == "L0H3");
  const test::ProcessResult bare = program.run({"show", kShownInput, "--no-table"});
  CHECK(bare.out.find("entropy") == std::string::npos);
  CHECK(bare.out.find("H0 previous") != std::string::npos);
}

TEST_CASE("show keeps within $COLUMNS, and is ASCII where the locale is") {
  const Program program;
  program.write("in.json", R"({"text": "un caf\u00e9 \u732b \u732b noir"})");
  for (const std::string columns : {"30", "60", "200"}) {
    const test::ProcessResult result =
        program.run_with_environment({"show", "in.json"}, {"LC_ALL=C", "COLUMNS=" + columns});
    CHECK(result.code == 0);
    for (const char c : result.out) CHECK((c == '\n' || (c >= ' ' && c <= '~')));
    const test::TerminalGrid grid(result.out);
    for (std::size_t line = 0; line < grid.lines(); ++line) {
      CHECK(grid.width(line) <= std::stoul(columns));
    }
  }
  const test::ProcessResult utf8 = program.run_with_environment(
      {"show", "in.json", "--heads", "L0H0"}, {"LC_ALL=C.UTF-8", "COLUMNS=100"});
  CHECK(utf8.out.find("\u732b") != std::string::npos);
}

TEST_CASE("show says what random weights are") {
  const Program program;
  const test::ProcessResult result = program.run({"show", "--text", "the creature ate the berry"});
  CHECK(result.code == 0);
  CHECK(result.out.find("attention of the bundled toy model") != std::string::npos);
}

TEST_CASE("show takes what draw takes: stdin, tensor files, selections, colours") {
  const Program program;
  const test::ProcessResult piped = program.run_with_input(
      {"show", "-", "--heads", "L0H1,L0H3", "--query-range", "1-5", "--key-range", "0-3",
       "--color-scale", "sqrt", "--range", "0..1", "--colormap", "viridis", "--drop-first"},
      test::read_text(kShownInput));
  CHECK(piped.code == 0);
  CHECK(piped.err.empty());
  CHECK(piped.out.find("2 heads, 5 queries on 3 keys") != std::string::npos);
  CHECK(piped.out.find("sqrt") != std::string::npos);
  CHECK(program.run({"show", kShownInput, "--heads", "L0mean"}).out.find("L0mean") == 0);
  program.must_run({kShownInput, "-o", "out", "--weights", "npy", "--no-png"});
  const test::ProcessResult tensors = program.run({"show", "out/attention.npy", "--no-table"});
  CHECK(tensors.code == 0);
  CHECK(tensors.out.find("12 queries on 12 keys") != std::string::npos);
}

TEST_CASE("escape codes in tokens and titles are shown, not printed") {
  const Program program;
  program.write("in.json",
                R"({"id": "x\u001b[2Jy", "tokens": ["a\u001b]0;t\u0007", "\u009b1m", "c"],
    "attention_weights": [[[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [1, 0, 0], [1, 0, 0]]]]})");
  for (const Names& more : {Names{}, Names{"--heads", "L0H0"}}) {
    Names arguments{"show", "in.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const test::ProcessResult result = program.run(arguments);
    CHECK(result.code == 0);
    CHECK(result.out.find('\033') == std::string::npos);
    CHECK(result.out.find("\u009b") == std::string::npos);
    CHECK(result.out.find('\007') == std::string::npos);
  }
}

TEST_CASE("wrong command lines of show are refused with a hint") {
  const Program program;
  const auto check = [&](const Names& arguments, const std::string& err) {
    const test::ProcessResult result = program.run(arguments);
    CHECK(result.code == 2);
    CHECK(result.err == err);
    CHECK(result.out.empty());
  };
  check({"show", kShownInput, "--graphics", "sixel"},
        "mha-viz: error: --graphics sixel: stdout is no terminal\n"
        "  hint: without it text is printed; draw -o FILE.png writes a picture\n");
  check({"show", kShownInput, "--watch"},
        "mha-viz: error: --watch: stdout is no terminal\n"
        "  hint: without it the text is printed once\n");
  check({"show", "-", "--watch"},
        "mha-viz: error: --watch: standard input cannot be watched\n  hint: name a file\n");
  check({"show", "--text", "a b", "--watch"},
        "mha-viz: error: --watch: there is no file to watch\n  hint: name a file\n");
  check({"show", example("creatures.ndjson")},
        "mha-viz: error: show takes one input, and there are several\n"
        "  hint: pick a line (sed -n 3p FILE | mha-viz show -), or an array (--tensor NAME)\n");
  check({"show", kShownInput, "--cell", "3"},
        "mha-viz: error: unknown flag --cell\n  hint: did you mean '--help'?\n");
  check({"show", kShownInput, "--heads", "L0H9"},
        "mha-viz: error: --heads: there is no head L0H9\n"
        "  hint: the input has heads L0H0, L0H1, L0H2, L0H3\n");
}

TEST_CASE("the help of show has examples") {
  const test::ProcessResult result = Program().run({"show", "--help"});
  CHECK(result.code == 0);
  CHECK(result.out.find("mha-viz show in.json --watch") != std::string::npos);
  CHECK(result.out.find("--max-size") == std::string::npos);
}

}  // namespace
}  // namespace mha
