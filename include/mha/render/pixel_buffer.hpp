// Memory for pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace mha::render {

// Uninitialised memory, released by std::free; nullptr when there is none. Large blocks ask for
// large pages: a picture is written once and thrown away, and in a virtual machine the page faults
// of 2 MB in small pages can take longer than the drawing.
void* allocate_pixels(std::size_t bytes) noexcept;

template <typename T>
struct PixelAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = PixelAllocator<U>;
  };
  T* allocate(std::size_t n) {
    void* memory = allocate_pixels(n * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }
  // resize() does not clear.
  template <typename U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }
};

using PixelBuffer = std::vector<std::uint8_t, PixelAllocator<std::uint8_t>>;

}  // namespace mha::render
