// A tree of merges, its leaves down the right edge and distance growing to the left.
#pragma once

#include <optional>
#include <vector>

#include "mha/render/canvas.hpp"
#include "mha/render/colormap.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"

#include "sizes.hpp"
#include "text_block.hpp"

namespace mha::render {

// All coordinates are relative to the tree's top left corner.
class Tree {
 public:
  // `box` is the size of the drawing; leaf i is in the middle of the i-th of n equal parts of its
  // height. A title that is much wider than the box starts at its left edge and may be `room` px
  // long. Throws Error(kInternal) for merges that name a branch that does not exist, or twice.
  Tree(const TreeMatrixFigure& figure, Rect box, int room, const Sizes& sizes, Typesetter& type);

  // What the numbers and the title take above the tree, px.
  int above() const { return above_; }
  // How far they reach beyond the tree's edges, px.
  int overhang_left() const;
  int overhang_right() const;

  // The strokes from a merge's branches to its own place: upright at x from top to bottom, level at
  // top from x to top_end, and at bottom likewise.
  struct Fork {
    int x = 0;
    int top = 0;
    int top_end = 0;
    int bottom = 0;
    int bottom_end = 0;
  };
  const std::vector<Fork>& forks() const { return forks_; }
  std::optional<int> cut() const { return cut_; }

  void draw(Canvas* canvas, int x, int y, const Theme& theme) const;
  // Of the numbers along the top, and of the title above them.
  std::vector<Rect> tick_boxes(int x, int y) const;
  Rect title_box(int x, int y) const;

 private:
  struct Mark {
    int offset = 0;
    TextBitmap text;
  };

  int x_of(double distance) const;
  void set_marks(Typesetter& type);
  void join(const TreeMatrixFigure& figure);

  Sizes sizes_;
  Rect box_;
  double longest_ = 1;  // distance at the left edge
  std::vector<Mark> marks_;
  TextBlock title_;
  int above_ = 0;
  std::vector<Fork> forks_;
  std::optional<int> cut_;
  bool is_dense_ = false;
};

}  // namespace mha::render
