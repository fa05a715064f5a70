// A drawing as an SVG file.
#pragma once

#include <cstdint>
#include <vector>

#include "mha/render/drawing.hpp"

namespace mha::render {

// Texts are <text> elements of the length that they were laid out with, whatever font the viewer
// has.
std::vector<std::uint8_t> encode_svg(const Drawing& drawing);

}  // namespace mha::render
