// score under a pseudo-terminal: the table fits the window.
#include <sstream>

#include "program.hpp"
#include "support/pseudo_terminal.hpp"
#include "support/terminal_grid.hpp"

namespace mha {
namespace {

using Names = std::vector<std::string>;

// The lines that score writes into a window.
Names lines_of_score(unsigned short columns) {
  test::PseudoTerminal::Setup setup;
  setup.columns = columns;
  setup.environment = {"TERM=xterm-256color", "NO_COLOR=1", "LC_ALL=C.UTF-8"};
  test::PseudoTerminal terminal({MHA_BINARY, "score", test::example("creatures.ndjson")}, setup);
  REQUIRE(terminal.finish() == 0);
  std::string text = terminal.output();
  std::erase(text, '\r');
  std::istringstream stream(text);
  Names lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

const std::string& head_line(const Names& lines) {
  for (const std::string& line : lines) {
    if (line.starts_with("head  label")) return line;
  }
  throw std::runtime_error("no table");
}

TEST_CASE("the table of heads leaves out the columns that the window has no room for") {
  const Names wide = lines_of_score(200);
  CHECK(head_line(wide).ends_with("distance"));
  for (const std::string& line : wide) CHECK(line.find("Not shown") == std::string::npos);

  const Names usual = lines_of_score(80);
  CHECK(head_line(usual).ends_with("runner-up             entropy"));
  const auto told = std::ranges::find(usual,
                                      "Not shown in this window: previous, self, next, "
                                      "first_token, distance (| less -S shows all)");
  CHECK(told != usual.end());

  const Names narrow = lines_of_score(20);
  CHECK(head_line(narrow).find("score") != std::string::npos);
  CHECK(head_line(narrow).find("from") == std::string::npos);
}

}  // namespace
}  // namespace mha
