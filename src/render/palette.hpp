// Few colours instead of 3 bytes a pixel: pictures of cells and text need few, and a third of the
// bytes compresses in a third of the time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mha/render/image.hpp"

namespace mha::render {

struct IndexedImage {
  std::vector<Rgb> palette;  // at most 256
  PixelBuffer indices;       // one a pixel, rows from the top
};

// The image with at most 256 colours. Where it has more (the soft edges of numbers upon many cell
// colours), those of areas stay exact and each rare one becomes the nearest that stays. nullopt
// when that would change a channel by more than `tolerance`, or when there are thousands of
// colours.
std::optional<IndexedImage> to_indexed(const Image& image, int tolerance);

}  // namespace mha::render
