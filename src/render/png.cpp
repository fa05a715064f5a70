#include "mha/render/png.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "mha/base/deflate.hpp"
#include "mha/base/error.hpp"

#include "palette.hpp"

namespace {

// What stb asks of a compressor: the result is released by free().
unsigned char* compress_for_stb(const unsigned char* data, int size, int* out_size, int level) {
  const auto packed = mha::zlib_compress({data, static_cast<std::size_t>(size)}, level);
  auto* out = static_cast<unsigned char*>(std::malloc(packed.size()));
  if (out == nullptr) return nullptr;
  std::memcpy(out, packed.data(), packed.size());
  *out_size = static_cast<int>(packed.size());
  return out;
}

unsigned crc_for_stb(const unsigned char* data, int size) {
  return mha::crc32({data, static_cast<std::size_t>(size)});
}

}  // namespace

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#define STBIW_MALLOC(size) mha::render::allocate_pixels(static_cast<std::size_t>(size))
#define STBIW_REALLOC(memory, size) std::realloc(memory, size)
#define STBIW_FREE(memory) std::free(memory)
#define STBIW_ZLIB_COMPRESS(data, size, out_size, level) \
  compress_for_stb(data, size, out_size, level)
#define STBIW_CRC32(data, size) crc_for_stb(data, size)
#include <stb_image_write.h>

namespace mha::render {
namespace {

// stb reads these two when it encodes; they are set before main() and never again. Flat cells
// and text pack best unfiltered (the next row mostly repeats this one), and trying all five filters
// takes longer than the compression.
[[maybe_unused]] const int kFilter = (stbi_write_force_png_filter = 0);
[[maybe_unused]] const int kLevel = (stbi_write_png_compression_level = 6);

// Largest change of a channel (of 255) that an edge pixel of a letter may suffer so that the
// picture needs 256 colours only.
constexpr int kTolerance = 32;

using Bytes = std::vector<std::uint8_t>;

// Offsets in a PNG: after the signature comes the IHDR chunk.
constexpr std::size_t kHeaderType = 8 + 4;
constexpr std::size_t kColorType = kHeaderType + 4 + 9;
constexpr std::size_t kHeaderCrc = kHeaderType + 4 + 13;
constexpr std::size_t kEndOfHeader = kHeaderCrc + 4;
constexpr std::uint8_t kIndexedColor = 3;

void put_u32(std::uint32_t value, std::uint8_t* out) {
  for (int i = 0; i < 4; ++i) out[i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
}

// A chunk: length, type, data, CRC of type and data (PNG specification, 5.3).
Bytes chunk(std::string_view type, const Bytes& data) {
  Bytes out(12 + data.size());
  put_u32(static_cast<std::uint32_t>(data.size()), out.data());
  std::copy(type.begin(), type.end(), out.begin() + 4);
  std::copy(data.begin(), data.end(), out.begin() + 8);
  put_u32(crc32({&out[4], 4 + data.size()}), &out[8 + data.size()]);
  return out;
}

// Pixels a metre, the same in both directions (PNG specification, 11.3.5.3).
Bytes phys_chunk(int dpi) {
  const auto per_metre = static_cast<std::uint32_t>(std::lround(dpi / 0.0254));
  Bytes data(9, 1);  // the last byte is the unit: metre
  put_u32(per_metre, &data[0]);
  put_u32(per_metre, &data[4]);
  return chunk("pHYs", data);
}

Bytes palette_chunk(const std::vector<Rgb>& palette) {
  Bytes data;
  for (const Rgb& color : palette) data.insert(data.end(), {color.r, color.g, color.b});
  return chunk("PLTE", data);
}

using StbBytes = std::unique_ptr<unsigned char, decltype(&std::free)>;

// `pixels` of `channels` bytes as stb's PNG, with the chunks `extra` after its header.
Bytes encode(const std::uint8_t* pixels, const Image& image, int channels, const Bytes& extra) {
  int size = 0;
  const StbBytes png(stbi_write_png_to_mem(pixels, channels * image.width, image.width,
                                           image.height, channels, &size),
                     std::free);
  if (!png) throw Error(ErrorKind::kInternal, "cannot encode a PNG");
  const unsigned char* begin = png.get();
  const unsigned char* body = begin + kEndOfHeader;
  Bytes bytes;
  bytes.reserve(static_cast<std::size_t>(size) + extra.size());
  bytes.assign(begin, body);
  bytes.insert(bytes.end(), extra.begin(), extra.end());
  bytes.insert(bytes.end(), body, begin + size);
  return bytes;
}

}  // namespace

std::vector<std::uint8_t> encode_png(const Image& image, int dpi) {
  Bytes extra;
  if (dpi > 0) extra = phys_chunk(dpi);
  const std::optional<IndexedImage> indexed = to_indexed(image, kTolerance);
  if (!indexed) return encode(image.rgb.data(), image, 3, extra);
  const Bytes palette = palette_chunk(indexed->palette);
  extra.insert(extra.end(), palette.begin(), palette.end());
  // stb knows no palettes: it writes the indices as grey levels, and the header is corrected.
  Bytes bytes = encode(indexed->indices.data(), image, 1, extra);
  bytes[kColorType] = kIndexedColor;
  put_u32(crc32({&bytes[kHeaderType], 4 + 13}), &bytes[kHeaderCrc]);
  return bytes;
}

std::vector<std::uint8_t> encode_png(const Drawing& drawing) {
  return encode_png(rasterize(drawing), drawing.dpi);
}

}  // namespace mha::render
