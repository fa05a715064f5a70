#include "mha/io/npy.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mha;
  return fuzz::expect_input_error(
      [&] { fuzz::read_everything(*open_npy(FileBytes::copy(fuzz::text_of(data, size)))); });
}
