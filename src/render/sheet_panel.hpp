// One panel of a sheet: its texts and its picture, measured once, drawn anywhere.
#pragma once

#include "mha/render/sheet.hpp"

#include "formula_box.hpp"
#include "sheet_picture.hpp"
#include "text_block.hpp"

namespace mha::render {

class SheetPanelBox {
 public:
  // `n_in_row` panels share the row; one alone has its texts left of its picture where it is wide
  // enough, else they stand above and below it.
  SheetPanelBox(const SheetPanel& panel, int width, std::size_t n_in_row, const PictureStyle& style,
                Typesetter& type);

  // Height of title, formula and shape, which panels of a row share so that pictures line up.
  int head_height() const;
  int height(int head_height) const;
  // What it takes: more than its width where that is too narrow for labels and colour bar.
  int least_width() const;
  void draw(Canvas* canvas, int x, int y, int head_height) const;
  SheetPanelLayout layout(int x, int y, int head_height) const;

 private:
  int text_width(int width) const;
  Rect worked_box(int x, int y) const;
  void draw_worked(Canvas* canvas, const Rect& box) const;

  const PictureStyle& style_;
  Sizes sizes_;
  int width_;
  bool beside_;
  TextBitmap number_;
  TextBlock title_;
  FormulaBox formula_;
  TextBlock shape_;
  TextBlock sentence_;
  std::vector<TextBlock> worked_;
  SheetPictureBox picture_;
};

}  // namespace mha::render
