#include "mha/io/picture.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"

#include "jpeg_tables.hpp"

namespace {

// A small file can ask its decoder for any amount: this is more than the largest picture needs.
constexpr std::size_t kLargestBlock = std::size_t{300} << 20;

// Zeros: the decoder reads tables that a damaged file uses and never defines.
void* bounded_malloc(std::size_t size) {
  return size <= kLargestBlock ? std::calloc(size, 1) : nullptr;
}

void* bounded_realloc(void* block, std::size_t size) {
  return size <= kLargestBlock ? std::realloc(block, size) : nullptr;
}

// The decoder copies nothing to nowhere where a PNG's first piece of data is empty, which memcpy()
// does not allow.
void* copy_if_any(void* to, const void* from, std::size_t size) {
  return size == 0 ? to : std::memcpy(to, from, size);
}

}  // namespace

#define memcpy(to, from, size) copy_if_any(to, from, size)
#define STBI_MALLOC(size) bounded_malloc(size)
#define STBI_REALLOC(block, size) bounded_realloc(block, size)
#define STBI_FREE(block) std::free(block)
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>
#undef memcpy

namespace mha {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kLongestSide = 16384;
constexpr std::size_t kMostPixels = 32'000'000;

struct Freer {
  void operator()(stbi_uc* pixels) const { stbi_image_free(pixels); }
};

bool is_png(std::string_view bytes) {
  return bytes.starts_with("\x89PNG\r\n\x1a\n");
}

bool is_picture(std::string_view bytes) {
  return is_png(bytes) || bytes.starts_with("\xff\xd8\xff");
}

void check_size(int width, int height) {
  const auto w = static_cast<std::size_t>(width);
  const auto h = static_cast<std::size_t>(height);
  if (w > kLongestSide || h > kLongestSide || w * h > kMostPixels) {
    fail_input(concat("too large; expected at most ", kLongestSide, " pixels a side and ",
                      kMostPixels, " in all, got ", w, " x ", h),
               "make it smaller; a heatmap over it shows no more");
  }
}

// What the decoder holds at most, found by measuring: of a PNG its bytes before and after the
// filters, of a progressive JPEG the coefficients of three full planes.
void check_memory(std::size_t n_pixels, bool has_16_bits, std::size_t memory) {
  constexpr std::size_t kBytesPerPixel = 14;
  constexpr std::size_t kBytesPerPixel16 = 17;
  const std::size_t needed = n_pixels * (has_16_bits ? kBytesPerPixel16 : kBytesPerPixel);
  if (needed <= memory) return;
  fail_input(concat("needs about ", bytes_text(static_cast<double>(needed)),
                    " of memory to be decoded; expected at most ",
                    bytes_text(static_cast<double>(memory))),
             "raise --memory, or make the picture smaller");
}

std::uint8_t over_white(unsigned value, unsigned alpha) {
  return static_cast<std::uint8_t>((value * alpha + 255 * (255 - alpha) + 127) / 255);
}

}  // namespace

Picture decode_picture(std::string_view bytes, std::size_t memory) {
  if (!is_picture(bytes)) fail_input("not a picture that can be read; expected PNG or JPEG");
  if (bytes.size() > kMostBytes) {
    fail_input(concat("too large; expected at most ", bytes_text(kMostBytes), ", got ",
                      bytes_text(static_cast<double>(bytes.size()))));
  }
  const std::string jpeg = is_png(bytes) ? std::string() : without_extra_segments(bytes);
  const std::string_view decoded = is_png(bytes) ? bytes : jpeg;
  const auto* const data = reinterpret_cast<const stbi_uc*>(decoded.data());
  const auto size = static_cast<int>(decoded.size());
  int width = 0;
  int height = 0;
  int channels = 0;
  // The decoder's own reason is that of the format it tried last.
  const auto fail = [&bytes] {
    fail_input(
        concat("damaged picture; expected a whole ", is_png(bytes) ? "PNG" : "JPEG", " file"),
        "save it again");
  };
  if (!has_sound_tables(jpeg)) fail();
  // The header's sizes are checked before anything is allocated for them.
  if (stbi_info_from_memory(data, size, &width, &height, &channels) == 0) fail();
  check_size(width, height);
  const std::size_t n = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  check_memory(n, stbi_is_16_bit_from_memory(data, size) != 0, memory);
  const std::unique_ptr<stbi_uc, Freer> pixels(
      stbi_load_from_memory(data, size, &width, &height, &channels, 4));
  if (pixels == nullptr) fail();
  Picture out{static_cast<std::size_t>(width), static_cast<std::size_t>(height), {}};
  out.rgb.resize(3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const stbi_uc* pixel = pixels.get() + 4 * i;
    for (std::size_t c = 0; c < 3; ++c) out.rgb[3 * i + c] = over_white(pixel[c], pixel[3]);
  }
  return out;
}

Picture read_picture(const std::string& path, std::size_t memory) {
  const FileBytes file = FileBytes::open(path, kMostBytes);
  try {
    return decode_picture(file.text(), memory);
  } catch (const Error& error) {
    throw error.at(path);
  }
}

}  // namespace mha
