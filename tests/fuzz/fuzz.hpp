// What all fuzzers check: a reader either gives what it says it has, or throws an Error of the
// input. Everything else (a crash, another exception, an internal error) is a finding.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/tensor/tensor.hpp"

namespace mha::fuzz {

// Holds in every build, unlike assert().
inline void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Reads every tensor, up to about 16 MB in all.
inline void read_everything(const TensorSource& source) {
  std::size_t left = std::size_t{1} << 22;
  for (std::size_t i = 0; i < source.tensors().size(); ++i) {
    const TensorInfo& info = source.tensors()[i];
    const std::size_t count = element_count(info.shape);
    if (count > left) continue;
    left -= count;
    const std::span<const float> in_place = source.floats(i);
    check(in_place.empty() || in_place.size() == count, "floats in place are all of them");
    volatile float sum = 0;
    for (const float value : in_place) sum = sum + value;
    try {
      const Tensor tensor = source.read(i);
      check(tensor.shape == info.shape, "a tensor has the shape that was announced");
      check(tensor.data.size() == count, "a tensor has the size of its shape");
    } catch (const Error& error) {  // for example a wrong checksum
      check(error.kind() == ErrorKind::kInput, "an unreadable tensor is an error of the input");
    }
  }
  source.notes();
}

// Runs what may throw an Error of the input.
template <typename Action>
int expect_input_error(Action action) {
  try {
    action();
  } catch (const Error& error) {
    check(error.kind() == ErrorKind::kInput, error.what());
    check(error.what()[0] != '\0', "an error says something");
  }
  return 0;
}

}  // namespace mha::fuzz
