// Compression and checksums (libdeflate).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mha {

// `bytes` as a zlib stream (RFC 1950); level 1 (fast) to 12 (small).
std::vector<std::uint8_t> zlib_compress(std::span<const std::uint8_t> bytes, int level);

// CRC-32 as PNG, zip and gzip use it; `before` is that of the bytes that came before these.
std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t before = 0);

}  // namespace mha
