// show under a pseudo-terminal: what it asks, every byte it answers with, --watch.
#include "program.hpp"
#include "support/pseudo_terminal.hpp"
#include "support/terminal_grid.hpp"

namespace mha {
namespace {

using test::example;
using test::Program;
using test::PseudoTerminal;
using Names = std::vector<std::string>;

constexpr const char* kQuestion =
    "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033]11;?\033\\\033[14t\033[c";

PseudoTerminal::Setup make_setup(const std::string& answer) {
  PseudoTerminal::Setup setup;
  setup.answer = answer;
  setup.environment = {"TERM=xterm-256color", "COLORTERM=truecolor", "LC_ALL=C.UTF-8"};
  return setup;
}

Names command(Names arguments) {
  arguments.insert(arguments.begin(), {MHA_BINARY, "show"});
  return arguments;
}

const Names kOneHead{example("creature.json"), "--heads", "L0H3"};

// What comes behind the question; carriage returns are the terminal's.
std::string shown(const PseudoTerminal& terminal) {
  std::string out = terminal.output();
  const std::size_t question = out.find(kQuestion);
  if (question != std::string::npos) out.erase(0, question + std::string(kQuestion).size());
  std::erase(out, '\r');
  return out;
}

TEST_CASE("a terminal that can draw nothing gets half blocks in true colour") {
  PseudoTerminal terminal(command(kOneHead), make_setup("\033[?62;22c"));
  CHECK(terminal.finish() == 0);
  CHECK(terminal.output().find(kQuestion) == 0);
  const std::string text = shown(terminal);
  CHECK(text.find("38;2;") != std::string::npos);
  const test::TerminalGrid grid(text);  // nothing but colours
  CHECK(grid.text(0).find("L0H3") == 0);
  CHECK(grid.lines() <= 23);
  CHECK(terminal.is_restored());
}

TEST_CASE("a terminal that never answers is not waited for long") {
  PseudoTerminal terminal(command(kOneHead), make_setup(""));
  CHECK(terminal.finish() == 0);
  CHECK(test::TerminalGrid(shown(terminal)).text(0).find("L0H3") == 0);
  CHECK(terminal.is_restored());
}

TEST_CASE("the colours of the picture follow the terminal's background") {
  const auto first_color = [](const std::string& background) {
    PseudoTerminal terminal(command(kOneHead),
                            make_setup("\033]11;rgb:" + background + "\033\\\033[?62c"));
    CHECK(terminal.finish() == 0);
    const test::TerminalGrid grid(shown(terminal));
    return grid.at(0, 0).color;  // of the title
  };
  CHECK(first_color("0000/0000/0000") == "2;240;242;245");
  CHECK(first_color("ffff/ffff/ffff") == "2;27;31;39");
  CHECK(first_color("fd/f6/e3") == "2;27;31;39");
}

TEST_CASE("a terminal with sixels gets a picture of its size") {
  PseudoTerminal::Setup setup = make_setup("\033[?62;4;22c");
  setup.width_px = 800;
  setup.height_px = 480;
  PseudoTerminal terminal(command(kOneHead), setup);
  CHECK(terminal.finish() == 0);
  const std::string text = shown(terminal);
  REQUIRE(text.starts_with("\033P0;1;0q\"1;1;"));
  std::size_t used = 0;
  const std::string sizes = text.substr(std::string("\033P0;1;0q\"1;1;").size(), 20);
  const std::size_t width = std::stoul(sizes, &used);
  const std::size_t height = std::stoul(sizes.substr(used + 1));
  CHECK((width > 300 && width <= 800));
  CHECK((height > 300 && height <= 460));  // a line is left for the prompt
  CHECK(text.ends_with("\033\\\n"));
}

TEST_CASE("a terminal with kitty's graphics gets a PNG, asked for or found out") {
  PseudoTerminal::Setup setup = make_setup("\033_Gi=31;OK\033\\\033[4;480;800t\033[?62;4c");
  PseudoTerminal found(command(kOneHead), setup);
  CHECK(found.finish() == 0);
  CHECK(shown(found).starts_with("\033_Ga=T,f=100,q=2,m=1;iVBORw0KGgo"));
  setup.answer = "\033[?62c";
  Names arguments = kOneHead;
  arguments.insert(arguments.end(), {"--graphics", "kitty"});
  PseudoTerminal asked(command(arguments), setup);
  CHECK(asked.finish() == 0);
  CHECK(shown(asked).starts_with("\033_Ga=T,f=100,q=2,m=1;iVBORw0KGgo"));
}

TEST_CASE("NO_COLOR, TERM=dumb and other locales get characters and are not asked") {
  const std::vector<Names> environments{
      {"TERM=xterm-256color", "COLORTERM=truecolor", "LC_ALL=C.UTF-8", "NO_COLOR=1"},
      {"TERM=dumb", "COLORTERM=truecolor", "LC_ALL=C.UTF-8"},
      {"TERM=xterm-256color", "COLORTERM=truecolor", "LC_ALL=C"}};
  for (const Names& environment : environments) {
    PseudoTerminal::Setup setup = make_setup("");
    setup.environment = environment;
    PseudoTerminal terminal(command(kOneHead), setup);
    CHECK(terminal.finish() == 0);
    CHECK(terminal.output().find('\033') == std::string::npos);
    CHECK(terminal.output().find("@@@") != std::string::npos);
  }
}

TEST_CASE("without COLORTERM there are 256 colours") {
  PseudoTerminal::Setup setup = make_setup("\033[?1;2c");
  setup.environment = {"TERM=xterm-256color", "LANG=de_DE.UTF-8"};
  PseudoTerminal terminal(command(kOneHead), setup);
  CHECK(terminal.finish() == 0);
  CHECK(shown(terminal).find("38;5;") != std::string::npos);
  CHECK(shown(terminal).find("38;2;") == std::string::npos);
}

const std::string kTwoTokens =
    R"({"tokens": ["a", "b"], "attention_weights": [[[[1, 0], [0, 1]]]]})";
const std::string kThreeTokens = R"({"tokens": ["eins", "zwei", "drei"],)"
                                 R"( "attention_weights": [[[[1, 0, 0], [0, 1, 0], [0, 0, 1]]]]})";

TEST_CASE("watching draws again when the file changes, survives a broken one, and ends by Ctrl-C") {
  const Program program;
  program.write("in.json", kTwoTokens);
  PseudoTerminal::Setup setup = make_setup("\033[?62c");
  setup.folder = program.path();
  PseudoTerminal terminal(command({"in.json", "--watch"}), setup);
  REQUIRE(terminal.wait_for("\033[?1049h"));  // the second screen
  REQUIRE(terminal.wait_for("watching in.json"));
  program.write("in.json", kThreeTokens.substr(0, 40));
  REQUIRE(terminal.wait_for("error: in.json"));
  std::filesystem::remove(program.file("in.json"));
  REQUIRE(terminal.wait_for("error: in.json"));
  program.write("in.json", kThreeTokens);
  REQUIRE(terminal.wait_for("zwei"));
  REQUIRE(terminal.wait_for("watching in.json"));
  terminal.resize(60, 20);
  REQUIRE(terminal.wait_for("\033[20;1H"));  // the last line of the new size
  terminal.type("\003");
  CHECK(terminal.finish() == 130);
  CHECK(terminal.output().ends_with("\033[?25h\033[?1049l"));
  CHECK(terminal.is_restored());
}

TEST_CASE("watching ends by q with success") {
  const Program program;
  program.write("in.json", kTwoTokens);
  PseudoTerminal::Setup setup = make_setup("\033[?62c");
  setup.folder = program.path();
  PseudoTerminal terminal(command({"in.json", "--watch"}), setup);
  REQUIRE(terminal.wait_for("watching in.json"));
  terminal.type("q");
  CHECK(terminal.finish() == 0);
  CHECK(terminal.output().ends_with("\033[?1049l"));
  CHECK(terminal.is_restored());
}

}  // namespace
}  // namespace mha
