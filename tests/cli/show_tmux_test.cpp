// show in windows of tmux, compared to captures that were looked at (tests/goldens/terminal).
// MHA_WRITE_GOLDENS=1 writes them anew.
#include <iostream>

#include "program.hpp"
#include "support/terminal_grid.hpp"
#include "support/tmux.hpp"

namespace mha {
namespace {

using test::example;
using test::Program;
using test::TerminalGrid;
using test::Tmux;

constexpr const char* kTrueColor = "COLORTERM=truecolor LC_ALL=C.UTF-8 TERM=tmux-256color";
constexpr const char* kSentence = "--text 'the creature ate the berry because it was hungry'";

bool has_tmux() {
  if (Tmux::is_installed()) return true;
  std::cout << "SKIPPED: tmux is not installed\n";
  return false;
}

std::string show(const std::string& environment, const std::string& arguments) {
  return concat("env ", environment, " ", MHA_BINARY, " show ", arguments, "; echo DONE");
}

void check_golden(const std::string& name, const std::string& capture) {
  const std::string path = concat(MHA_SOURCE_DIR, "/tests/goldens/terminal/", name, ".ansi");
  if (std::getenv("MHA_WRITE_GOLDENS") != nullptr) test::write_text(path, capture);
  const TerminalGrid want(test::read_text(path));
  const TerminalGrid got(capture);
  CHECK(got.text() == want.text());
  CHECK(got == want);
}

struct Window {
  const char* name;
  std::size_t columns;
  std::size_t lines;
  const char* environment;
  std::string arguments;
};

TEST_CASE("windows of tmux show what they showed when they were looked at") {
  if (!has_tmux()) return;
  const std::string sentence = kSentence;
  const std::vector<Window> windows{
      {"sheet-80x24", 80, 24, kTrueColor, sentence + " --no-table"},
      {"sheet-200x60", 200, 60, kTrueColor, sentence},
      {"sheet-light-120x40", 120, 40, kTrueColor, sentence + " --theme light"},
      {"head-80x24", 80, 24, kTrueColor, sentence + " --heads L0H5"},
      {"head-256-80x24", 80, 24, "COLORTERM= LC_ALL=C.UTF-8 TERM=tmux-256color",
       sentence + " --heads L0H5"},
      {"head-ascii-80x24", 80, 24, "NO_COLOR=1 LC_ALL=C.UTF-8 TERM=tmux-256color",
       sentence + " --heads L0H5"},
      {"causal-100x30", 100, 30, kTrueColor, example("causal.json")},
  };
  for (const Window& window : windows) {
    INFO(window.name);
    const Tmux tmux(window.columns, window.lines, show(window.environment, window.arguments));
    check_golden(window.name, tmux.capture_with("DONE"));
  }
}

TEST_CASE("labels of wide and combining characters stand where tmux puts them") {
  if (!has_tmux()) return;
  const Program program;
  program.write("in.json",
                R"({"tokens": ["\u732b\u304c", "e\u0301te\u0301", "\ud55c\uae00", "plain"],)"
                R"( "attention_weights": [[[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]]]})");
  const Tmux tmux(80, 24, show(kTrueColor, program.file("in.json") + " --heads L0H0"));
  check_golden("wide-labels-80x24", tmux.capture_with("DONE"));
}

TEST_CASE("watching follows the size of the window and gives the first screen back") {
  if (!has_tmux()) return;
  const Program program;
  program.write("in.json", test::read_text(example("creature.json")));
  const std::string path = program.file("in.json");
  const Tmux tmux(100, 30, "echo before; " + show(kTrueColor, path + " --watch --heads L0H3"));
  const TerminalGrid wide(tmux.capture_with("watching"));
  CHECK(wide.text(29).find("watching " + path.substr(0, 10)) == 0);
  tmux.resize(60, 20);
  TerminalGrid narrow(tmux.capture_with("watching"));
  for (int i = 0; i < 100 && narrow.text(0).find("L0H3") != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    narrow = TerminalGrid(tmux.capture_with("watching"));
  }
  CHECK(narrow.text(19).find("watching") == 0);
  CHECK(narrow.text(0).find("L0H3") == 0);
  for (std::size_t line = 0; line < narrow.lines(); ++line) CHECK(narrow.width(line) <= 60);
  tmux.type("q");
  const TerminalGrid after(tmux.capture_with("DONE"));
  CHECK(after.text() == "before\nDONE\n");
}

}  // namespace
}  // namespace mha
