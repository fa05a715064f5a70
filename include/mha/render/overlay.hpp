// One query's weights on the patches of a picture, each patch in its place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mha/render/canvas.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

// One query of one head. `marked`: the patch that the query stands for.
struct OverlayPanel {
  std::string label;
  CellGrid cells;  // rows x cols patches
  std::optional<std::size_t> marked = std::nullopt;
};

// All panels have the same number of patches; `across` of them stand side by side. `picture` has
// no pixels where there is none: then the patches are plain cells.
struct OverlayFigure {
  PictureText text;
  Image picture;
  std::vector<OverlayPanel> panels;
  std::size_t across = 1;
  ColorScale colors;
  std::string value_name = "attention weight";
};

Drawing draw_overlay(const OverlayFigure& figure, const PictureStyle& style,
                     Typesetter& typesetter);

}  // namespace mha::render
