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
  CHECK(wide.find("picture") != std::string::npos);
  const std::string large =
      error_of([] { decode_picture(with_size("\0\0\x3f\xff"s, "\0\0\x3f\xff"s)); });
  CHECK(large.starts_with("too large; expected at most 16384 pixels a side"));
}

TEST_CASE("what is cut short or no picture is refused") {
  for (const std::size_t length : {std::size_t{8}, std::size_t{30}, std::size_t{50}}) {
    const std::string cut = kTwoPixels.substr(0, length);
    CHECK(error_of([&] { decode_picture(cut); }).starts_with("damaged picture ("));
  }
  CHECK(error_of([] { decode_picture("GIF89a"); }) ==
        "not a picture that can be read; expected PNG or JPEG");
  CHECK(error_of([] { decode_picture(""); }) ==
        "not a picture that can be read; expected PNG or JPEG");
}

}  // namespace
}  // namespace mha
