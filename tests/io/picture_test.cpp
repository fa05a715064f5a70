#include "mha/io/picture.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/errors.hpp"

namespace mha {
namespace {

using test::error_of;
using namespace std::string_literals;
using Bytes = std::vector<std::uint8_t>;

// 2 x 1 pixels: opaque red, and black that is fully transparent.
const std::string kTwoPixels =
    "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x06\x00\x00\x00"
    "\xf4\x22\x7f\x8a\x00\x00\x00\x0fIDAT\x78\xda\x63\xf8\xcf\xc0\x00\x44\x0c\x0c\x00\x0c\xfc\x01"
    "\xff\xe5\x86\xa8\xd2\x00\x00\x00\x00IEND\xae\x42\x60\x82"s;

// The same with another width and height in its header.
std::string with_size(const std::string& width, const std::string& height) {
  std::string png = kTwoPixels;
  png.replace(16, 4, width);
  png.replace(20, 4, height);
  return png;
}

TEST_CASE("a PNG is read, and what is transparent shows white") {
  const Picture picture = decode_picture(kTwoPixels);
  CHECK(picture.width == 2);
  CHECK(picture.height == 1);
  CHECK(picture.rgb == Bytes{255, 0, 0, 255, 255, 255});
}

TEST_CASE("sizes are bounded before anything is allocated for them") {
  const std::string wide =
      error_of([] { decode_picture(with_size("\0\0\x7f\xff"s, "\0\0\0\1"s)); });
  CHECK(wide.starts_with("too large; expected at most 16384 pixels a side and 32000000 in all"));
  const std::string large =
      error_of([] { decode_picture(with_size("\0\0\x3f\xff"s, "\0\0\x3f\xff"s)); });
  CHECK(large.starts_with("too large; expected at most 16384 pixels a side"));
}

TEST_CASE("a picture whose decoding needs more than the memory given is refused") {
  const std::string message =
      error_of([] { decode_picture(with_size("\0\0\x03\xe8"s, "\0\0\x03\xe8"s), 10'000'000); });
  CHECK(message ==
        "needs about 13.4 MiB of memory to be decoded; expected at most 9.5 MiB\n"
        "hint: raise --memory, or make the picture smaller");
  CHECK(decode_picture(kTwoPixels, 100).rgb.size() == 6);
}

// 8 x 8 pixels of grey 178: one block whose only number is its mean.
std::string one_block(const std::string& height, const std::string& width) {
  const std::string codes = "\x01" + std::string(15, '\0');  // one code, 0, in each table
  return "\xff\xd8\xff\xdb\x00\x43\x00"s + std::string(64, '\x08') + "\xff\xc0\x00\x0b\x08"s +
         height + width + "\x01\x01\x11\x00"s + "\xff\xc4\x00\x14\x00"s + codes + "\x06"s +
         "\xff\xc4\x00\x14\x10"s + codes + "\x00"s +
         "\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\x64\xff\xd9"s;
}

TEST_CASE("a JPEG is read") {
  const Picture picture = decode_picture(one_block("\0\x08"s, "\0\x08"s));
  CHECK(picture.width == 8);
  CHECK(picture.height == 8);
  CHECK(picture.rgb == Bytes(192, 178));
}

TEST_CASE("a small JPEG that claims a huge size is refused by its header") {
  const auto error_of_side = [](const std::string& side) {
    return error_of([&side] { decode_picture(one_block(side, side)); });
  };
  const std::string limits =
      "too large; expected at most 16384 pixels a side and 32000000 in all, ";
  CHECK(error_of_side("\xff\xff").starts_with(limits + "got 65535 x 65535"));
  CHECK(error_of_side("\x3e\x80").starts_with(limits + "got 16000 x 16000"));
}

TEST_CASE("what a JPEG holds beside its picture is left out") {
  std::string jpeg = one_block("\0\x08"s, "\0\x08"s);
  // In a comment: what would be a table of 16 x 74 codes.
  const std::string table = "\xff\xc4\x00\x14\x10"s + std::string(16, '\x4a');
  jpeg.insert(2, "\xff\xfe\x00\x17"s + table);
  CHECK(decode_picture(jpeg).rgb == Bytes(192, 178));
  jpeg.erase(2, 4);
  CHECK(error_of([&jpeg] { decode_picture(jpeg); }).starts_with("damaged picture; expected a wh"));
}

TEST_CASE("a JPEG that is cut before its scan is refused") {
  const std::string jpeg = one_block("\0\x08"s, "\0\x08"s);
  for (const std::size_t length : {std::size_t{3}, std::size_t{40}, std::size_t{90}}) {
    const std::string cut = jpeg.substr(0, length);
    CHECK(error_of([&cut] { decode_picture(cut); }).starts_with("damaged picture; expected a wh"));
  }
}

TEST_CASE("what is cut short or no picture is refused") {
  for (const std::size_t length : {std::size_t{8}, std::size_t{30}, std::size_t{50}}) {
    const std::string cut = kTwoPixels.substr(0, length);
    CHECK(error_of([&] {
            decode_picture(cut);
          }).starts_with("damaged picture; expected a whole PNG"));
  }
  CHECK(error_of([] { decode_picture("GIF89a"); }) ==
        "not a picture that can be read; expected PNG or JPEG");
  CHECK(error_of([] { decode_picture(""); }) ==
        "not a picture that can be read; expected PNG or JPEG");
}

}  // namespace
}  // namespace mha
