// A nameless temporary file for results that are finished in another order than they are wanted.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

namespace mha {

// A piece of the file.
struct ScratchPiece {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

class ScratchFile {
 public:
  // Throws Error(kOutput) where no temporary file can be made.
  ScratchFile();

  // Several threads may call it at once. Throws Error(kOutput), as when the disk is full.
  ScratchPiece append(std::string_view bytes);
  // Hands the bytes of a piece on, a part at a time.
  void read(const ScratchPiece& piece, const std::function<void(std::string_view)>& use);

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::mutex mutex_;
  std::unique_ptr<std::FILE, Closer> file_;
  std::uint64_t size_ = 0;
};

}  // namespace mha
