// Mapped files and temporary output files as a signal handler needs them: in tables that can be
// read at any moment.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "mha/tensor/storage.hpp"

namespace mha {

// A file mapped for reading. Keeps the descriptor, so that a change of length is noticed even after
// the name was given to another file.
class FileMapping : public FloatCopier {
 public:
  // Takes over the descriptor and the mapping of `size` bytes.
  FileMapping(std::string path, int descriptor, void* start, std::size_t size);
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping() override;

  std::span<const unsigned char> bytes() const {
    return {static_cast<const unsigned char*>(start_), size_};
  }
  // What the file lost is touched where it stood: that ends the program as for those who use the
  // mapping itself.
  void copy(const float* from, std::span<float> to) const override;
  const std::string& path() const { return path_; }
  // What to say when the file is shorter than the mapping; else "".
  std::string length_problem() const;

 private:
  std::string path_;
  int descriptor_;
  void* start_;
  std::size_t size_;
  std::size_t slot_;
};

// Tells the guard of a temporary file that must not stay behind. The text must live, unchanged,
// until forget_temporary(); a slot says where it is known.
std::size_t guard_temporary(const char* path);
void forget_temporary(std::size_t slot);

}  // namespace mha
