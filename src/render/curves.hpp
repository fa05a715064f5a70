// Curves as pixels.
#pragma once

#include <vector>

#include "mha/render/drawing.hpp"

namespace mha::render {

// How much of each pixel of `box` a curve covers, 0 to 1.
struct CurveMask {
  Rect box;
  std::vector<float> coverage;
};

// Within `area`.
CurveMask curve_mask(const CurveOp& curve, const Rect& area);

}  // namespace mha::render
