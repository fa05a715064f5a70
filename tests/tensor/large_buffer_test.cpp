#include <algorithm>
#include <vector>

#include "mha/base/parallel.hpp"
#include "mha/tensor/matrix.hpp"

#include "support/catch.hpp"

namespace mha {
namespace {

constexpr std::size_t kFloats = kLargeBuffer / sizeof(float);

TEST_CASE("large buffers of all sizes, freed and taken again by several threads, do not overlap") {
  constexpr std::size_t kBuffers = 24;
  constexpr std::size_t kRounds = 4;
  std::vector<std::size_t> wrong(kBuffers, 0);
  parallel_for(kBuffers, 4, [&wrong](std::size_t item, std::size_t) {
    for (std::size_t round = 0; round < kRounds; ++round) {
      const std::size_t n = kFloats + (item + round) % 5 * 500'000 + item % 3;
      FloatVector held(n);
      FloatVector other(n);
      const auto value = static_cast<float>(item * kRounds + round);
      std::ranges::fill(held, value);
      std::ranges::fill(other, -1.0F);
      wrong[item] += n - static_cast<std::size_t>(std::ranges::count(held, value));
    }
  });
  CHECK(std::ranges::count(wrong, 0U) == static_cast<std::ptrdiff_t>(kBuffers));
}

TEST_CASE("a large buffer takes what is written to its end") {
  FloatVector buffer(kFloats + 1);
  buffer.back() = 3.0F;
  CHECK(buffer.back() == 3.0F);
}

}  // namespace
}  // namespace mha
