// The matrix of one panel of a sheet: measured once, drawn anywhere.
#pragma once

#include <vector>

#include "mha/render/sheet.hpp"

#include "axis_labels.hpp"
#include "cell_painter.hpp"
#include "color_bar.hpp"
#include "sizes.hpp"

namespace mha::render {

// Where its parts are; boxes of absent parts have zero width.
struct SheetPictureParts {
  Rect cells;
  std::vector<Rect> frames;
  Rect color_bar;  // with its numbers
  Rect row_title;
  Rect col_title;
};

class SheetPictureBox {
 public:
  // `style` and `picture` must outlive this object.
  SheetPictureBox(const SheetPicture& picture, int max_width, int max_height,
                  const PictureStyle& style, Typesetter& type);

  int width() const { return width_; }
  int height() const { return height_; }
  std::size_t row_pool() const { return row_pool_; }
  std::size_t col_pool() const { return col_pool_; }

  // With the top left corner of everything at (x, y).
  void draw(Canvas* canvas, int x, int y) const;
  SheetPictureParts parts_at(int x, int y) const;

 private:
  struct Name {
    TextBitmap text;
    int center = 0;  // along the axis, from the first cell
    bool marked = false;
  };

  void pool_cells(int room, int max_height);
  int size_cells(int max_width, int max_height);
  void set_labels();
  void set_names(const SheetAxis& axis, std::size_t pool, int cell, bool is_row,
                 std::vector<Name>* names);
  void measure();
  Axis label_axis(const SheetAxis& axis, std::size_t pool) const;
  LabelOptions label_options() const;
  bool has_row_title() const;
  CellPlace place_at(int x, int y) const;
  Rect cells_at(int x, int y) const;
  std::vector<Rect> frames_at(const Rect& cells) const;
  void draw_names(Canvas* canvas, const Rect& cells) const;
  void draw_spans(Canvas* canvas, const Rect& cells) const;

  const SheetPicture& picture_;
  const PictureStyle& style_;
  Typesetter& type_;
  Sizes sizes_;
  CellGrid cells_;
  std::size_t row_pool_ = 1;
  std::size_t col_pool_ = 1;
  int cell_width_ = 1;
  int cell_height_ = 1;
  AxisLabels row_labels_;
  AxisLabels col_labels_;
  std::vector<Name> row_names_;
  std::vector<Name> col_names_;
  TextBitmap row_title_;
  TextBitmap col_title_;
  ColorBar bar_;
  std::shared_ptr<const NumberGlyphs> numbers_;
  int left_ = 0;        // from the edge to the cells
  int top_ = 0;         // likewise
  int below_ = 0;       // labels and names under the cells
  int bar_offset_ = 0;  // from the left of the cells to the colour bar
  int width_ = 0;
  int height_ = 0;
};

}  // namespace mha::render
