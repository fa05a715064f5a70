// One head as a picture.
#pragma once

#include <memory>
#include <span>

#include "mha/render/drawing.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"
#include "mha/render/layout.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

// Draws many heads of the same tokens: labels are set once, in the constructor.
//
//   HeatmapPainter painter(frame, {rows, cols}, style, typesetter);
//   parallel_for(n_heads, threads, [&](size_t h, size_t) { images[h] = painter.paint(...); });
class HeatmapPainter {
 public:
  struct Size {
    std::size_t rows;
    std::size_t cols;
  };

  // rows x cols cells, at least 1 x 1. `typesetter` must outlive the painter. Where the style asks
  // for a width, `scales` are those that paint() will get: the colour bar of each has to fit.
  HeatmapPainter(const HeatmapFrame& frame, Size cells, const PictureStyle& style,
                 Typesetter& typesetter, std::span<const ColorScale> scales = {});
  ~HeatmapPainter();
  HeatmapPainter(HeatmapPainter&&) noexcept;

  // Thread-safe. `cells` must have the size given to the constructor. The same input gives the
  // same drawing.
  Drawing paint(const PictureText& text, const CellGrid& cells, const ColorScale& colors) const;

  // Where paint() puts what.
  HeatmapLayout layout(const PictureText& text, const CellGrid& cells,
                       const ColorScale& colors) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

Drawing draw_heatmap(const HeatmapFigure& figure, const PictureStyle& style,
                     Typesetter& typesetter);

}  // namespace mha::render
