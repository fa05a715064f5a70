// What every picture has around its body: title and caption above, legend and small print below.
#pragma once

#include <string>
#include <vector>

#include "mha/render/figure.hpp"

#include "legend.hpp"
#include "text_block.hpp"

namespace mha::render {

struct PageBoxes {
  Rect title;
  Rect caption;
  std::vector<Rect> legend;
  std::vector<Rect> notes;
};

class Page {
 public:
  // Text is wrapped at body_width (or at a readable width, if that is more); the legend starts
  // `indent` px right of the margin.
  Page(const PictureText& text, const std::vector<LegendEntry>& entries, int body_width, int indent,
       const PictureStyle& style, Typesetter& type);

  // Where the body may begin.
  int body_top() const;
  // Size of the whole picture for a body that ends at (right, bottom).
  int width(int body_right) const;
  int height(int body_bottom) const;

  void draw(Canvas* canvas, int body_bottom, const Theme& theme) const;
  PageBoxes boxes(int body_bottom) const;

 private:
  Sizes sizes_;
  int legend_x_;
  std::string name_;
  TextBlock title_;
  TextBlock caption_;
  std::vector<TextBlock> notes_;
  Legend legend_;
};

}  // namespace mha::render
