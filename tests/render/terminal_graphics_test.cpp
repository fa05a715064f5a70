// Sixels are decoded again; kitty's pieces are put together again.
#include "mha/render/terminal_graphics.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "mha/base/text.hpp"
#include "mha/render/png.hpp"

#include "support/catch.hpp"

namespace mha::render {
namespace {

void paint(Image* image, const Rect& rect, Rgb color) {
  for (int y = rect.y; y < std::min(rect.bottom(), image->height); ++y) {
    for (int x = rect.x; x < std::min(rect.right(), image->width); ++x) {
      std::uint8_t* pixel = image->at(x, y);
      pixel[0] = color.r;
      pixel[1] = color.g;
      pixel[2] = color.b;
    }
  }
}

Image plain_image(int width, int height, Rgb color) {
  Image image;
  image.width = width;
  image.height = height;
  image.rgb.resize(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  paint(&image, {0, 0, width, height}, color);
  return image;
}

// Reads a number and moves past it.
int number(const std::string& text, std::size_t* at) {
  REQUIRE(*at < text.size());
  int value = 0;
  while (*at < text.size() && text[*at] >= '0' && text[*at] <= '9') {
    value = 10 * value + (text[(*at)++] - '0');
  }
  return value;
}

// What a terminal draws for sixels, by DEC STD 070: channels in percent, -1 where nothing was.
struct Sixels {
  int width = 0;
  int height = 0;
  std::map<std::pair<int, int>, std::vector<int>> pixels;  // (x, y) to percent

  explicit Sixels(const std::string& text) {
    REQUIRE(text.starts_with("\033P0;1;0q\"1;1;"));
    REQUIRE(text.ends_with("\033\\"));
    std::size_t at = std::string("\033P0;1;0q\"1;1;").size();
    width = number(text, &at);
    ++at;
    height = number(text, &at);
    std::map<int, std::vector<int>> palette;
    int color = 0;
    int x = 0;
    int y = 0;
    while (at + 2 < text.size()) {
      const char c = text[at++];
      if (c == '#') {
        color = number(text, &at);
        if (text[at] != ';') continue;
        REQUIRE(text.substr(at, 3) == ";2;");
        at += 3;
        for (int i = 0; i < 3; ++i) {
          palette[color].push_back(number(text, &at));
          if (i < 2) ++at;
        }
      } else if (c == '$') {
        x = 0;
      } else if (c == '-') {
        x = 0;
        y += 6;
      } else {
        const int count = c == '!' ? number(text, &at) : 1;
        const int bits = (c == '!' ? text[at++] : c) - '?';
        REQUIRE((bits >= 0 && bits < 64));
        for (int i = 0; i < count; ++i, ++x) {
          for (int r = 0; r < 6; ++r) {
            if ((bits >> r & 1) != 0) pixels[{x, y + r}] = palette.at(color);
          }
        }
      }
    }
  }
};

int percent(int channel) {
  return (channel * 100 + 127) / 255;
}

void check_same(const Image& image, int tolerance) {
  const Sixels sixels(encode_sixel(image));
  REQUIRE(sixels.width == image.width);
  REQUIRE(sixels.height == image.height);
  REQUIRE(sixels.pixels.size() == static_cast<std::size_t>(image.width * image.height));
  int worst = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const Rgb want = image.pixel(x, y);
      const std::vector<int>& got = sixels.pixels.at({x, y});
      worst = std::max({worst, std::abs(percent(want.r) - got[0]),
                        std::abs(percent(want.g) - got[1]), std::abs(percent(want.b) - got[2])});
    }
  }
  CHECK(worst <= tolerance);
}

TEST_CASE("sixels decode to the pixels of the image") {
  for (const int height : {1, 5, 6, 7, 23}) {
    Image image = plain_image(31, height, rgb(0x102030));
    paint(&image, {3, 0, 9, height / 2 + 1}, rgb(0xff8000));
    paint(&image, {20, height / 3, 4, height}, rgb(0xffffff));
    check_same(image, 0);
  }
}

TEST_CASE("sixels of a picture with thousands of colours come near to them") {
  Image image = plain_image(120, 90, {});
  for (int y = 0; y < 90; ++y) {
    for (int x = 0; x < 120; ++x) {
      std::uint8_t* pixel = image.at(x, y);
      pixel[0] = static_cast<std::uint8_t>(2 * x);
      pixel[1] = static_cast<std::uint8_t>(2 * y);
      pixel[2] = static_cast<std::uint8_t>(x + y);
    }
  }
  check_same(image, 25);
}

TEST_CASE("runs of sixels are written as counts") {
  CHECK(encode_sixel(plain_image(200, 6, rgb(0xffffff))) ==
        "\033P0;1;0q\"1;1;200;6#0;2;100;100;100#0!200~-\033\\");
}

std::vector<std::uint8_t> from_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> out;
  REQUIRE(text.size() % 4 == 0);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::size_t group = 0;
    std::size_t n = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t value = letters.find(text[i + k]);
      if (value != std::string::npos) ++n;
      group = group << 6 | (value == std::string::npos ? 0 : value);
    }
    for (std::size_t k = 0; k + 1 < n; ++k) {
      out.push_back(static_cast<std::uint8_t>(group >> (16 - 8 * k) & 255U));
    }
  }
  return out;
}

TEST_CASE("a PNG goes to kitty in pieces of at most 4096 bytes") {
  for (const std::size_t size : {1U, 2U, 3U, 3072U, 3073U, 10000U}) {
    std::vector<std::uint8_t> png(size);
    for (std::size_t i = 0; i < size; ++i) png[i] = static_cast<std::uint8_t>(i * 31 + i / 7);
    const std::string text = encode_kitty(png);
    std::string payload;
    std::size_t pieces = 0;
    for (std::size_t at = 0; at < text.size(); ++pieces) {
      REQUIRE(text.substr(at, 3) == "\033_G");
      const std::size_t semicolon = text.find(';', at);
      const std::size_t end = text.find("\033\\", at);
      REQUIRE(end != std::string::npos);
      const std::string keys = text.substr(at + 3, semicolon - at - 3);
      const std::string piece = text.substr(semicolon + 1, end - semicolon - 1);
      CHECK(piece.size() <= 4096);
      at = end + 2;
      const std::string more = at < text.size() ? "m=1" : "m=0";
      CHECK(keys == (pieces == 0 ? "a=T,f=100,q=2," + more : more));
      if (at < text.size()) CHECK(piece.size() == 4096);
      payload += piece;
    }
    CHECK(pieces == (size + 3071) / 3072);
    CHECK(from_base64(payload) == png);
  }
}

TEST_CASE("an image that is too large shrinks to the mean of its pixels") {
  Image image = plain_image(8, 4, rgb(0x000000));
  paint(&image, {0, 0, 4, 4}, rgb(0xffffff));
  paint(&image, {4, 0, 1, 4}, rgb(0x808080));
  const Image small = shrunk_to_fit(image, 4, 100);
  CHECK(small.width == 4);
  CHECK(small.height == 2);
  CHECK(small.pixel(0, 0) == rgb(0xffffff));
  CHECK(small.pixel(2, 1) == rgb(0x404040));  // half of grey, half of black
  CHECK(small.pixel(3, 1) == rgb(0x000000));
  const Image same = shrunk_to_fit(image, 8, 4);
  CHECK(same.width == 8);
  CHECK(same.height == 4);
}

}  // namespace
}  // namespace mha::render
