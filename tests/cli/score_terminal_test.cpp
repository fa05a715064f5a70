// score under a pseudo-terminal: the table fits the window.
#include <sstream>

#include "program.hpp"
#include "support/pseudo_terminal.hpp"
#include "support/terminal_grid.hpp"

namespace mha {
namespace {

using Names = std::vector<std::string>;

// The lines that score writes into a window.
Names lines_of_score(const std::string& input, unsigned short columns, bool has_colors = false) {
  test::PseudoTerminal::Setup setup;
  setup.columns = columns;
  setup.environment = {"TERM=xterm-256color", "LC_ALL=C.UTF-8"};
  if (!has_colors) setup.environment.emplace_back("NO_COLOR=1");
  test::PseudoTerminal terminal({MHA_BINARY, "score", input}, setup);
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
  const std::string input = test::example("creatures.ndjson");
  const Names wide = lines_of_score(input, 200);
  CHECK(head_line(wide).ends_with("distance"));
  for (const std::string& line : wide) CHECK(line.find("Not shown") == std::string::npos);

  const Names usual = lines_of_score(input, 80);
  CHECK(head_line(usual).ends_with("runner-up             entropy"));
  const auto told = std::ranges::find(usual,
                                      "Not shown in this window: previous, self, next, "
                                      "first_token, distance (| less -S shows all)");
  CHECK(told != usual.end());

  const Names narrow = lines_of_score(input, 20);
  CHECK(head_line(narrow).find("score") != std::string::npos);
  CHECK(head_line(narrow).find("from") == std::string::npos);
}

TEST_CASE("where the bar has no room, the remark behind it does not take its colour") {
  const test::Program program;
  program.write("in.json", R"({"text": "a b a b", "attention": {"n_heads": 2, "d_head": 2},
                               "relations": [{"name": "x-y", "pairs": [[1, 0]]}]})");
  const auto remark_of = [&](unsigned short columns) {
    for (const std::string& line : lines_of_score(program.path() + "/in.json", columns, true)) {
      if (line.find("too few to label") != std::string::npos) return line;
    }
    return std::string();
  };
  CHECK(remark_of(200).find('\033') != std::string::npos);
  CHECK_FALSE(remark_of(40).empty());
  CHECK(remark_of(40).find('\033') == std::string::npos);
}

}  // namespace
}  // namespace mha
