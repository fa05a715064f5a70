// Pictures that a user brings: PNG and JPEG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

// 3 bytes a pixel, rows from the top. Transparent parts show white.
struct Picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint8_t> rgb;
};

constexpr std::size_t kAnyMemory = static_cast<std::size_t>(-1);

// Throws Error(kInput) with the path in front for anything else than a whole PNG or JPEG file of at
// most 64 MiB, 16,384 pixels a side and 32 million pixels, and for one whose decoding needs more
// than `memory` bytes.
Picture read_picture(const std::string& path, std::size_t memory = kAnyMemory);
// The same from bytes in memory; messages do not name a file.
Picture decode_picture(std::string_view bytes, std::size_t memory = kAnyMemory);

}  // namespace mha
