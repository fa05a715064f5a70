// Pictures for terminals that can draw them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mha/render/image.hpp"

namespace mha::render {

// The image as sixels (DEC STD 070) of at most 256 colours, from ESC P to ESC \.
std::string encode_sixel(const Image& image);

// A PNG file in the kitty graphics protocol: shown at the cursor, in pieces of at most 4096 bytes
// of base64, without an answer from the terminal.
std::string encode_kitty(std::span<const std::uint8_t> png);

// The image made smaller, where it must be, so that it is at most so wide and high; each pixel is
// the mean of those that it stands for.
Image shrunk_to_fit(Image image, int max_width, int max_height);

}  // namespace mha::render
