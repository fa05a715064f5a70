// An image or a drawing as the bytes of a PNG file.
#pragma once

#include <cstdint>
#include <vector>

#include "mha/render/drawing.hpp"

namespace mha::render {

// Thread-safe. dpi > 0 writes a pHYs chunk. The same image gives the same bytes.
std::vector<std::uint8_t> encode_png(const Image& image, int dpi = 0);

// With the drawing's own dpi.
std::vector<std::uint8_t> encode_png(const Drawing& drawing);

}  // namespace mha::render
