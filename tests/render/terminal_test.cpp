// Heatmaps and contact sheets as lines of text, looked at as a terminal would show them.
#include "mha/render/terminal.hpp"

#include <limits>

#include "mha/base/text.hpp"

#include "figures.hpp"
#include "support/catch.hpp"
#include "support/terminal_grid.hpp"

namespace mha::render {
namespace {

using test::TerminalGrid;

std::string color_code_of(Rgb color) {
  return concat("2;", int{color.r}, ";", int{color.g}, ";", int{color.b});
}

Rgb color_at(double position) {
  return colormap_named("", true)[static_cast<std::size_t>(position * 255 + 0.5)];
}

HeatmapFigure make_head(std::size_t rows, std::size_t cols) {
  HeatmapFigure figure;
  figure.text.title = "L0H0";
  figure.cells = make_grid(rows, cols, 0);
  figure.frame = make_frame(rows, cols);
  return figure;
}

// n_layers x n_heads panels of side x side cells, the diagonals filled.
GridFigure make_contact_sheet(std::size_t n_layers, std::size_t n_heads, std::size_t side) {
  GridFigure figure;
  figure.text.title = "Heads";
  figure.frame = make_frame(side, side);
  figure.kinds = {"previous token"};
  auto cells = std::make_shared<CellGrid>(make_grid(side, side, 0));
  for (std::size_t i = 0; i < side; ++i) cells->values[i * side + i] = 1;
  for (std::size_t l = 0; l < n_layers; ++l) figure.row_names.push_back(concat("L", l));
  for (std::size_t h = 0; h < n_heads; ++h) figure.col_names.push_back(concat("H", h));
  for (std::size_t i = 0; i < n_layers * n_heads; ++i) {
    figure.panels.push_back(GridPanel{cells, i == 0 ? "previous token" : "", i == 0 ? 0 : -1});
  }
  return figure;
}

TerminalStyle make_style(std::size_t columns, std::size_t lines, TerminalColors colors) {
  TerminalStyle style;
  style.columns = columns;
  style.lines = lines;
  style.colors = colors;
  return style;
}

void check_width(const std::string& text, std::size_t columns) {
  const TerminalGrid grid(text);  // throws for control codes that are no colours
  for (std::size_t line = 0; line < grid.lines(); ++line) CHECK(grid.width(line) <= columns);
}

std::size_t line_with(const TerminalGrid& grid, const std::string& text) {
  for (std::size_t line = 0; line < grid.lines(); ++line) {
    if (grid.text(line).find(text) != std::string::npos) return line;
  }
  FAIL("no line has " << text << " in\n" << grid.text());
  return 0;
}

TEST_CASE("two rows of cells share a line as half blocks") {
  HeatmapFigure figure = make_head(40, 40);
  figure.cells.values[0] = 1;         // row 0, column 0
  figure.cells.values[40 + 1] = 0.5;  // row 1, column 1
  figure.cells.values[39 * 40 + 39] = 1;
  const TerminalStyle style = make_style(60, 40, TerminalColors::kTrue);
  REQUIRE(terminal_pool(figure, style) == 1);
  const TerminalGrid grid(draw_terminal(figure, style));
  const std::size_t top = line_with(grid, "token0");
  const std::size_t left = grid.text(top).find("token0") + 7;
  CHECK(grid.upper(left, top) == color_code_of(color_at(1)));
  CHECK(grid.lower(left, top) == color_code_of(color_at(0)));
  CHECK(grid.upper(left + 1, top) == color_code_of(color_at(0)));
  CHECK(grid.lower(left + 1, top) == color_code_of(color_at(0.5)));
  CHECK(grid.lower(left + 39, top + 19) == color_code_of(color_at(1)));
  CHECK(grid.at(left + 40, top).text == " ");
}

TEST_CASE("a small heatmap has wide cells with labels and numbers") {
  HeatmapFigure figure = make_head(4, 4);
  figure.cells.values[4 + 2] = 0.75;
  const TerminalGrid grid(draw_terminal(figure, make_style(80, 24, TerminalColors::kTrue)));
  const std::size_t line = line_with(grid, ".75");
  CHECK(grid.text(line).find("token1") != std::string::npos);
  const std::size_t column = grid.text(line).find(".75");
  CHECK(grid.at(column, line).background == color_code_of(color_at(0.75)));
  CHECK(grid.text().find("token0  ") != std::string::npos);  // a label of a column
  CHECK(grid.text().find("query (attends from) down, key (attends to) across") !=
        std::string::npos);
}

TEST_CASE("with 256 colours every colour is one of the cube or the greys") {
  HeatmapFigure figure = make_head(30, 30);
  for (std::size_t i = 0; i < 900; ++i) figure.cells.values[i] = static_cast<float>(i) / 900;
  const std::string text = draw_terminal(figure, make_style(60, 40, TerminalColors::k256));
  CHECK(text.find(";2;") == std::string::npos);
  CHECK(text.find("38;5;") != std::string::npos);
  check_width(text, 60);
}

TEST_CASE("without colours the cells are characters, and there is no escape code") {
  HeatmapFigure figure = make_head(3, 3);
  figure.cells.values = {0, 1, 0.5F, 0, 0, 0, std::numeric_limits<float>::quiet_NaN(), 0, 0};
  figure.cells.states[5] = CellState::kMissing;
  figure.cells.states[4] = CellState::kMasked;
  figure.cells.states[8] = CellState::kFullyMasked;
  figure.text.title = "\u00B7caf\u00E9 \033[31m";
  TerminalStyle style = make_style(80, 0, TerminalColors::kNone);
  style.unicode = false;
  const std::string text = draw_terminal(figure, style);
  CHECK(text ==
        "_caf? \\x1B[31m\n"
        "0 .,:;-=+*#%@ 1  blank: masked  /: fully masked  !: not finite  ?: missing\n"
        "token0 .......@@@@@@@=======\n"
        "token1 .......       ???????\n"
        "token2 !!!!!!!.......///////\n"
        "       token0 token1 token2\n"
        "       query (attends from) down, key (attends to) across\n");
}

TEST_CASE("labels that are wide are cut by columns and stay aligned") {
  HeatmapFigure figure = make_head(3, 3);
  figure.frame.rows.labels = {"\u732B\u732B\u732B\u732B\u732B\u732B\u732B\u732B\u732B", "e\u0301",
                              "\U0001F468\u200D\U0001F469"};
  figure.frame.cols.labels = figure.frame.rows.labels;
  const TerminalGrid grid(draw_terminal(figure, make_style(60, 20, TerminalColors::kTrue)));
  check_width(draw_terminal(figure, make_style(60, 20, TerminalColors::kTrue)), 60);
  // All rows of cells begin in one column, whatever stands in front of them.
  const std::string zero = color_code_of(color_at(0));
  std::vector<std::size_t> first;
  for (std::size_t line = 0; line < grid.lines(); ++line) {
    const bool is_cells = grid.at(30, line).background == zero;
    for (std::size_t c = 0; is_cells && c < 60; ++c) {
      if (grid.at(c, line).background != zero) continue;
      first.push_back(c);
      break;
    }
  }
  REQUIRE(first.size() >= 3);
  for (const std::size_t column : first) CHECK(column == first[0]);
}

TEST_CASE("escape codes in titles, labels and tables do not reach the terminal") {
  const std::string evil = "\033]0;x\007\033[2J\u009B1m\u202E";
  HeatmapFigure figure = make_head(3, 3);
  figure.text = {evil, evil, {evil}};
  figure.frame.rows.labels = figure.frame.cols.labels = {evil, evil, evil};
  GridFigure sheet = make_contact_sheet(2, 2, 9);
  sheet.text = figure.text;
  sheet.row_names = sheet.col_names = {evil, evil};
  sheet.kinds = {evil};
  sheet.panels[0]->label = evil;
  TerminalTable table;
  table.columns = {{evil}};
  table.rows = {{{evil}, 0}};
  for (const TerminalColors colors :
       {TerminalColors::kTrue, TerminalColors::k256, TerminalColors::kNone}) {
    const TerminalStyle style = make_style(150, 50, colors);
    check_width(draw_terminal(figure, style), 150);
    const std::string text = draw_terminal(sheet, table, style);
    check_width(text, 150);
    CHECK(text.find("\\x1B]0;x") != std::string::npos);
    CHECK(text.find("\u202E") == std::string::npos);
  }
}

TEST_CASE("any figure keeps within the columns, and within the lines where it can") {
  for (const std::size_t n : {1, 2, 7, 40, 150, 700}) {
    for (const std::size_t columns : {20, 80, 200}) {
      for (const std::size_t lines : {10, 24, 60}) {
        const HeatmapFigure figure = make_head(n, n);
        const TerminalStyle style = make_style(columns, lines, TerminalColors::kTrue);
        INFO(n << " tokens in " << columns << " x " << lines);
        const std::string text = draw_terminal(figure, style);
        check_width(text, columns);
        CHECK(TerminalGrid(text).lines() <= lines);
        // Cells that come pooled as was asked for are drawn as they are.
        const std::size_t pool = terminal_pool(figure, style);
        HeatmapFigure pooled = figure;
        pooled.cells = make_grid((n + pool - 1) / pool, (n + pool - 1) / pool, 0);
        pooled.frame.rows.pool = pooled.frame.cols.pool = pool;
        if (pool > 1) pooled.text.notes = {"each cell shows the maximum of 2 x 2 weights"};
        CHECK(terminal_pool(pooled, style) == 1);
      }
    }
  }
}

TEST_CASE("a contact sheet names layers and heads, and its labels have their kinds' colours") {
  const GridFigure figure = make_contact_sheet(3, 8, 10);
  const TerminalStyle style = make_style(200, 60, TerminalColors::kTrue);
  const TerminalGrid grid(draw_terminal(figure, {}, style));
  const std::size_t line = line_with(grid, "H0 previous token");
  CHECK(grid.text(line).find("H7") != std::string::npos);
  CHECK(grid.text(line + 1).find("L0") == 0);
  const std::size_t column = grid.text(line).find("previous");
  CHECK(grid.at(column, line).color != grid.at(column - 3, line).color);
  // Cells of 2 columns and a line: the diagonal of the first panel.
  const std::size_t left = grid.text(line).find("H0");
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(grid.upper(left + 2 * i, line + 1 + i) == color_code_of(color_at(1)));
    CHECK(grid.lower(left + 2 * i + 1, line + 1 + i) == color_code_of(color_at(1)));
  }
  CHECK(grid.upper(left + 2, line + 1) == color_code_of(color_at(0)));
}

TEST_CASE("24 heads of 10 tokens fit into 80 x 23 cell by cell") {
  const GridFigure figure = make_contact_sheet(3, 8, 10);
  const TerminalStyle style = make_style(80, 23, TerminalColors::kTrue);
  CHECK(terminal_pool(figure, style) == 1);
  const TerminalGrid grid(draw_terminal(figure, {}, style));
  CHECK(grid.lines() <= 23);
  std::size_t names = 0;
  for (std::size_t line = 0; line < grid.lines(); ++line) {
    for (std::size_t c = 0; c + 1 < 80; ++c) {
      names += grid.at(c, line).text == "H" && grid.at(c + 1, line).text != "e" ? 1 : 0;
    }
  }
  CHECK(names == 24);
}

TEST_CASE("contact sheets of any size keep within the columns") {
  for (const std::size_t side : {1, 3, 17, 100}) {
    for (const std::size_t heads : {1, 5, 16}) {
      for (const std::size_t columns : {30, 80, 200}) {
        const GridFigure figure = make_contact_sheet(heads == 1 ? 2 : heads, heads, side);
        INFO(heads << " heads of " << side << " tokens in " << columns);
        for (const auto colors : {TerminalColors::kTrue, TerminalColors::kNone}) {
          const TerminalStyle style = make_style(columns, 30, colors);
          check_width(draw_terminal(figure, {}, style), columns);
          check_width(draw_terminal(figure, {}, make_style(columns, 0, colors)), columns);
        }
      }
    }
  }
}

TEST_CASE("12 x 12 heads of 100 tokens are pooled into a window of 200 x 60") {
  const GridFigure figure = make_contact_sheet(12, 12, 100);
  const TerminalStyle style = make_style(200, 59, TerminalColors::kTrue);
  const std::size_t pool = terminal_pool(figure, style);
  CHECK(pool > 1);
  CHECK(pool <= 20);  // panels of 5 cells at least
  const TerminalGrid grid(draw_terminal(figure, {}, style));
  CHECK(grid.lines() <= 59);
  line_with(grid, concat("each cell shows the maximum of ", pool, " x ", pool));
  line_with(grid, "L11");
}

TerminalTable make_head_table() {
  TerminalTable table;
  table.columns = {{"head", false, false, 0},
                   {"label", false, true, 0},
                   {"score", true, false, 0},
                   {"entropy", true, false, 1},
                   {"from", true, false, 2}};
  for (std::size_t i = 0; i < 8; ++i) {
    table.rows.push_back({{concat("L0H", i), "previous token", "0.99", "1.25", "0.50"}, -1});
  }
  return table;
}

TEST_CASE("the table stands beside the sheet where there is room, else below it") {
  const GridFigure figure = make_contact_sheet(2, 4, 10);
  const TerminalGrid wide(
      draw_terminal(figure, make_head_table(), make_style(140, 24, TerminalColors::kTrue)));
  const std::size_t line = line_with(wide, "entropy");
  CHECK(wide.text(line).find("H0") != std::string::npos);  // the line of the first heads
  const TerminalGrid narrow(
      draw_terminal(figure, make_head_table(), make_style(60, 60, TerminalColors::kTrue)));
  const std::size_t below = line_with(narrow, "entropy");
  CHECK(below > line_with(narrow, "L1"));
  CHECK(narrow.text(below) == "head  label           score  entropy  from");
  CHECK(narrow.text(below + 1) == "L0H0  previous token   0.99     1.25  0.50");
  CHECK(narrow.text(below + 8) == "L0H7  previous token   0.99     1.25  0.50");
}

TEST_CASE("a table loses its least important columns first, then the end of its labels") {
  const GridFigure figure = make_contact_sheet(2, 4, 5);
  const auto names = [&](std::size_t columns) {
    const TerminalGrid grid(
        draw_terminal(figure, make_head_table(), make_style(columns, 0, TerminalColors::kNone)));
    return grid.text(line_with(grid, "head"));
  };
  CHECK(names(42) == "head  label           score  entropy  from");
  CHECK(names(41) == "head  label           score  entropy");
  CHECK(names(30) == "head  label           score");
  CHECK(names(25) == "head  label         score");
}

}  // namespace
}  // namespace mha::render
