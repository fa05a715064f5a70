#include "mha/render/png.hpp"

#include <cstring>
#include <memory>
#include <string>

#include "mha/base/deflate.hpp"
#include "mha/render/canvas.hpp"

#include "support/catch.hpp"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#include <stb_image.h>

using namespace mha::render;

namespace {

std::uint32_t u32(const std::uint8_t* p) {
  return static_cast<std::uint32_t>(p[0]) << 24 | static_cast<std::uint32_t>(p[1]) << 16 |
         static_cast<std::uint32_t>(p[2]) << 8 | p[3];
}

struct Chunk {
  std::string type;
  std::vector<std::uint8_t> data;
  bool crc_is_right = false;
};

std::vector<Chunk> chunks_of(const std::vector<std::uint8_t>& png) {
  std::vector<Chunk> chunks;
  for (std::size_t i = 8; i + 12 <= png.size();) {
    const std::size_t n = u32(&png[i]);
    REQUIRE(i + 12 + n <= png.size());
    Chunk chunk;
    chunk.type.assign(png.begin() + static_cast<std::ptrdiff_t>(i) + 4,
                      png.begin() + static_cast<std::ptrdiff_t>(i) + 8);
    chunk.data.assign(png.begin() + static_cast<std::ptrdiff_t>(i) + 8,
                      png.begin() + static_cast<std::ptrdiff_t>(i + 8 + n));
    chunk.crc_is_right = mha::crc32({&png[i + 4], 4 + n}) == u32(&png[i + 8 + n]);
    chunks.push_back(chunk);
    i += 12 + n;
  }
  return chunks;
}

PictureStyle style_on(Rgb background) {
  PictureStyle style;
  style.theme.background = background;
  return style;
}

Image make_image(int width, int height) {
  return rasterize(Canvas(width, height, style_on(rgb(0xffffff))).take());
}

// The largest difference of a channel after writing and reading; 256 when the size is wrong.
int round_trip_error(const Image& image) {
  const std::vector<std::uint8_t> png = encode_png(image);
  int width = 0, height = 0, channels = 0;
  const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
      stbi_load_from_memory(png.data(), static_cast<int>(png.size()), &width, &height, &channels,
                            3),
      stbi_image_free);
  if (!pixels || width != image.width || height != image.height) return 256;
  int worst = 0;
  for (std::size_t i = 0; i < image.rgb.size(); ++i) {
    worst = std::max(worst, std::abs(pixels.get()[i] - image.rgb[i]));
  }
  return worst;
}

// More than 256 colours: `n` of them, one a pixel.
Image many_colors(int n) {
  Image image = make_image(n, 1);
  for (int i = 0; i < n; ++i) {
    std::uint8_t* p = image.at(i, 0);
    p[0] = static_cast<std::uint8_t>(i * 7), p[1] = static_cast<std::uint8_t>(i / 3);
    p[2] = static_cast<std::uint8_t>(i * 31);
  }
  return image;
}

}  // namespace

TEST_CASE("an image of few colours comes back exactly") {
  Canvas canvas(123, 77, style_on(rgb(0xfafcff)));
  canvas.fill({10, 10, 50, 30}, rgb(0x123456));
  canvas.fill({70, 0, 1, 77}, rgb(0xe3001b));
  CHECK(round_trip_error(rasterize(canvas.take())) == 0);
  CHECK(round_trip_error(make_image(1, 1)) == 0);
}

TEST_CASE("an image of exactly 256 colours comes back exactly") {
  Image image = make_image(256, 3);
  for (int x = 0; x < 256; ++x) {
    for (int y = 0; y < 3; ++y) image.at(x, y)[0] = static_cast<std::uint8_t>(x);
  }
  CHECK(round_trip_error(image) == 0);
}

TEST_CASE("an image of very different colours comes back exactly") {
  CHECK(round_trip_error(many_colors(2000)) == 0);
  CHECK(round_trip_error(many_colors(20000)) == 0);
}

TEST_CASE("with more than 256 colours, areas stay exact and edges nearly so") {
  Canvas canvas(400, 300, style_on(rgb(0xffffff)));
  for (int i = 0; i < 150; ++i) {
    const auto level = static_cast<std::uint8_t>(i);
    canvas.fill({(i % 20) * 20, (i / 20) * 20, 19, 19}, {level, level, 255});
  }
  for (int i = 0; i < 390; ++i) {  // a soft edge
    canvas.fill({i, 299, 1, 1}, {static_cast<std::uint8_t>(i / 2), 90, 40});
  }
  const Image image = rasterize(canvas.take());
  const std::vector<std::uint8_t> png = encode_png(image);
  CHECK(chunks_of(png)[1].type == "PLTE");
  CHECK(round_trip_error(image) <= 32);
  int width = 0, height = 0, channels = 0;
  const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
      stbi_load_from_memory(png.data(), static_cast<int>(png.size()), &width, &height, &channels,
                            3),
      stbi_image_free);
  REQUIRE(pixels);
  CHECK(std::memcmp(pixels.get(), image.rgb.data(), 3 * 400 * 160) == 0);
}

TEST_CASE("the chunks are well-formed and their checksums right") {
  for (int dpi : {0, 300}) {
    const std::vector<Chunk> chunks = chunks_of(encode_png(make_image(5, 4), dpi));
    REQUIRE(chunks.size() == (dpi > 0 ? 5U : 4U));
    CHECK(chunks.front().type == "IHDR");
    CHECK(chunks.back().type == "IEND");
    for (const Chunk& chunk : chunks) CHECK(chunk.crc_is_right);
  }
  for (const Chunk& chunk : chunks_of(encode_png(many_colors(20000), 72))) {
    CHECK(chunk.crc_is_right);
  }
}

TEST_CASE("dots per inch become a pHYs chunk in pixels a metre before the data") {
  const std::vector<Chunk> chunks = chunks_of(encode_png(make_image(5, 4), 300));
  REQUIRE(chunks[1].type == "pHYs");
  REQUIRE(chunks[1].data.size() == 9);
  CHECK(u32(&chunks[1].data[0]) == 11811);
  CHECK(u32(&chunks[1].data[4]) == 11811);
  CHECK(chunks[1].data[8] == 1);
  for (const Chunk& chunk : chunks_of(encode_png(make_image(5, 4)))) CHECK(chunk.type != "pHYs");
}

TEST_CASE("the same image gives the same bytes") {
  CHECK(encode_png(many_colors(900), 144) == encode_png(many_colors(900), 144));
}
