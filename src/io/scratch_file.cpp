#include "mha/io/scratch_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

[[noreturn]] void fail_scratch(const char* what) {
  const int error = errno;
  fail_output(concat("a temporary file ", what, ": ", std::strerror(error)),
              "/tmp needs room for the results");
}

}  // namespace

ScratchFile::ScratchFile() : file_(std::tmpfile()) {
  if (!file_) fail_scratch("cannot be made");
}

ScratchPiece ScratchFile::append(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    fail_scratch("cannot be written");
  }
  const ScratchPiece piece{size_, bytes.size()};
  size_ += bytes.size();
  return piece;
}

void ScratchFile::read(const ScratchPiece& piece,
                       const std::function<void(std::string_view)>& use) {
  const std::lock_guard lock(mutex_);
  constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;
  std::vector<char> buffer(static_cast<std::size_t>(std::min(piece.size, kChunk)));
  if (::fseeko(file_.get(), static_cast<off_t>(piece.offset), SEEK_SET) != 0) {
    fail_scratch("cannot be read");
  }
  for (std::uint64_t done = 0; done < piece.size;) {
    const auto n = static_cast<std::size_t>(std::min(piece.size - done, kChunk));
    if (std::fread(buffer.data(), 1, n, file_.get()) != n) fail_scratch("cannot be read");
    use({buffer.data(), n});
    done += n;
  }
  // The next append continues at the end.
  if (::fseeko(file_.get(), 0, SEEK_END) != 0) fail_scratch("cannot be written");
}

}  // namespace mha
