// A sheet that explains something step by step: rows of panels, each with a title, a formula, a
// small matrix, a sentence and a worked example.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mha/render/drawing.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

// Rows or columns [first, end) that belong together: parted from the next by a line, with a label.
struct SheetSpan {
  std::size_t first = 0;
  std::size_t end = 0;
  std::string label;
  bool marked = false;
};

// One side of a matrix. Labels (one a row or column) or spans may be empty.
struct SheetAxis {
  std::string title;
  std::vector<std::string> labels;
  std::vector<std::size_t> marked;  // rows or columns whose labels stand out
  std::vector<SheetSpan> spans;
};

// Cells that are framed: rows [row, row + rows) of columns [col, col + cols).
struct SheetFrame {
  std::size_t row = 0;
  std::size_t col = 0;
  std::size_t rows = 1;
  std::size_t cols = 1;
};

struct SheetPicture {
  CellGrid cells;  // at least 1 x 1
  ColorScale colors;
  SheetAxis rows;
  SheetAxis cols;
  std::vector<SheetFrame> frames;
  bool square = false;  // cells are as high as wide
};

struct SheetPanel {
  std::string number;  // "7"; may be empty, as all texts here
  std::string title;
  std::string formula;  // markup of formula.hpp
  std::string shape;
  SheetPicture picture;
  std::string sentence;
  std::vector<std::string> worked;  // lines of arithmetic
};

// Panels side by side; one alone has its texts beside its picture. In a narrow sheet they stand in
// several rows, and texts above and below their pictures.
struct SheetRow {
  std::string heading;  // above the row, or empty
  std::vector<SheetPanel> panels;
};

struct SheetFigure {
  PictureText text;
  std::vector<SheetRow> rows;
  std::size_t width = 1500;  // px, at 144 dots an inch
};

struct SheetPanelLayout {
  Rect title;
  Rect formula;
  Rect shape;
  Rect cells;
  Rect picture;  // cells, titles, labels and colour bar
  Rect color_bar;
  Rect row_title;
  Rect col_title;
  Rect sentence;
  Rect worked;
  std::vector<Rect> frames;
  std::size_t row_pool = 1;  // a row of cells stands for this many
  std::size_t col_pool = 1;
};

struct SheetLayout {
  int width = 0;
  int height = 0;
  Rect title;
  Rect caption;
  std::vector<Rect> headings;  // of the rows that have one
  std::vector<std::vector<SheetPanelLayout>> rows;
  std::vector<Rect> notes;
};

// Matrices with more rows or columns than pixels are pooled by the value that is largest in size;
// the shape's line says so.
Drawing draw_sheet(const SheetFigure& figure, const PictureStyle& style, Typesetter& typesetter);
SheetLayout layout_sheet(const SheetFigure& figure, const PictureStyle& style,
                         Typesetter& typesetter);

}  // namespace mha::render
