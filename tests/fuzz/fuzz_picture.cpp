// Pictures that a user brings.
#include "mha/io/picture.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mha;
  return fuzz::expect_input_error([&] {
    const Picture picture = decode_picture(fuzz::text_of(data, size));
    fuzz::check(picture.width > 0 && picture.height > 0, "a picture has pixels");
    fuzz::check(picture.rgb.size() == 3 * picture.width * picture.height,
                "three bytes for each of them");
  });
}
