#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <sys/mman.h>

#include "mha/tensor/matrix.hpp"

#ifdef __SANITIZE_ADDRESS__
#define MHA_HAS_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MHA_HAS_ADDRESS_SANITIZER
#endif
#endif

namespace mha {

#ifdef MHA_HAS_ADDRESS_SANITIZER
// So that the sanitizer sees who reads past the end of a buffer, or after its life.
void* allocate_large(std::size_t bytes) noexcept {
  return std::malloc(bytes);
}

void free_large(void* memory, std::size_t) noexcept {
  std::free(memory);
}
#else
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;
constexpr std::size_t kMostKept = std::size_t{128} << 20;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

// Blocks at multiples of kPage. Every layer of a model asks for buffers of the same sizes as the
// one before, so freed blocks are kept for it: the system clears fresh pages, and malloc, asked for
// such alignment, splits what was freed until nothing fits any more.
class LargeBlocks {
 public:
  void* take(std::size_t bytes) noexcept {
    if (void* kept = find_kept(bytes)) return kept;
    if (void* mapped = map(bytes)) return mapped;
    const std::lock_guard lock(mutex_);
    release_down_to(0);
    return map(bytes);
  }

  void put(void* memory, std::size_t bytes) noexcept {
    if (bytes > kMostKept) {
      munmap(memory, bytes);
      return;
    }
    const std::lock_guard lock(mutex_);
    release_down_to(kMostKept - bytes);
    newest_ = ::new (memory) Block{newest_, bytes};
    n_kept_bytes_ += bytes;
  }

 private:
  // Stands at the start of a block that is kept.
  struct Block {
    Block* older;
    std::size_t bytes;
  };

  void* find_kept(std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    for (Block** link = &newest_; *link != nullptr; link = &(*link)->older) {
      if ((*link)->bytes == bytes) return unlink(link);
    }
    return nullptr;
  }

  void* unlink(Block** link) noexcept {
    Block* block = *link;
    *link = block->older;
    n_kept_bytes_ -= block->bytes;
    return block;
  }

  // Releases the blocks kept longest until those left have at most `bytes`.
  void release_down_to(std::size_t bytes) noexcept {
    while (n_kept_bytes_ > bytes) {
      Block** oldest = &newest_;
      while ((*oldest)->older != nullptr) oldest = &(*oldest)->older;
      const std::size_t size = (*oldest)->bytes;
      munmap(unlink(oldest), size);
    }
  }

  static void* map(std::size_t bytes) noexcept {
    void* memory =
        mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    auto* const start = static_cast<char*>(memory);
    const std::size_t before = (kPage - reinterpret_cast<std::uintptr_t>(start) % kPage) % kPage;
    if (before > 0) munmap(start, before);
    if (before < kPage) munmap(start + before + bytes, kPage - before);
    madvise(start + before, bytes, MADV_HUGEPAGE);  // a wish, not a need
    return start + before;
  }

  std::mutex mutex_;
  Block* newest_ = nullptr;
  std::size_t n_kept_bytes_ = 0;
};

// Never destroyed: buffers of static duration are freed after main().
LargeBlocks& large_blocks() {
  static auto* const blocks = new LargeBlocks;
  return *blocks;
}

}  // namespace

void* allocate_large(std::size_t bytes) noexcept {
  return large_blocks().take(whole_pages(bytes));
}

void free_large(void* memory, std::size_t bytes) noexcept {
  large_blocks().put(memory, whole_pages(bytes));
}
#endif

}  // namespace mha
