#include "mha/render/pixel_buffer.hpp"

#include <sys/mman.h>

namespace mha::render {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kWorthwhile = std::size_t{384} << 10;

}  // namespace

void* allocate_pixels(std::size_t bytes) noexcept {
  if (bytes < kWorthwhile) return std::malloc(bytes);
  const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* memory = std::aligned_alloc(kLargePage, whole);
#ifdef MADV_HUGEPAGE
  // Only advice: where it is refused, small pages do.
  if (memory != nullptr) static_cast<void>(madvise(memory, whole, MADV_HUGEPAGE));
#endif
  return memory;
}

}  // namespace mha::render
