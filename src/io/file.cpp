#include "mha/io/file.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "mapped_files.hpp"

namespace mha {
namespace {

constexpr std::size_t kMapFrom = std::size_t{1} << 20;  // smaller files are read
constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

// Closes a descriptor when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

std::string reason() {
  return std::strerror(errno);
}

[[noreturn]] void fail_too_large(const std::string& name, std::size_t max_bytes) {
  fail_input(concat(name, ": is larger than the memory allowed; expected at most ",
                    bytes_text(static_cast<double>(max_bytes))),
             "raise --memory, or put large arrays into .safetensors or .npy files");
}

}  // namespace

FileBytes FileBytes::open(const std::string& path, std::size_t max_bytes) {
  return open_within(path, max_bytes, max_bytes);
}

FileBytes FileBytes::map(const std::string& path, std::size_t max_bytes) {
  return open_within(path, SIZE_MAX, max_bytes);
}

FileBytes FileBytes::open_within(const std::string& path, std::size_t max_mapped,
                                 std::size_t max_read) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail_input(concat(path, ": cannot be opened: ", reason()));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) fail_input(concat(path, ": cannot be read: ", reason()));
  if (S_ISDIR(info.st_mode)) fail_input(path + ": is a directory; expected a file");
  const auto size = static_cast<std::size_t>(info.st_size);
  if (!S_ISREG(info.st_mode) || size < kMapFrom) return read_all(file.get(), path, max_read);
  if (size > max_mapped) fail_too_large(path, max_mapped);

  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) return read_all(file.get(), path, max_read);
  const auto mapping = std::make_shared<const FileMapping>(path, file.release(), start, size);
  FileBytes out;
  out.bytes_ = mapping->bytes();
  out.mapping_ = mapping.get();
  out.owner_ = mapping;
  return out;
}

void FileBytes::check_length() const {
  if (mapping_ == nullptr) return;
  const std::string problem = mapping_->length_problem();
  if (!problem.empty()) fail_input(problem);
}

const FloatCopier* FileBytes::copier() const {
  return mapping_;
}

FileBytes FileBytes::copy(std::string_view bytes) {
  auto buffer = std::make_shared<const std::vector<unsigned char>>(bytes.begin(), bytes.end());
  FileBytes out;
  out.bytes_ = *buffer;
  out.owner_ = std::move(buffer);
  return out;
}

FileBytes FileBytes::read_all(int descriptor, const std::string& name, std::size_t max_bytes) {
  auto buffer = std::make_shared<std::vector<unsigned char>>();
  std::size_t used = 0;
  while (true) {
    if (buffer->size() - used < kBufferBytes / 2) {
      buffer->resize(std::max(kBufferBytes, buffer->size() * 2));
    }
    const ssize_t n = ::read(descriptor, buffer->data() + used, buffer->size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_input(concat(name, ": cannot be read: ", reason()));
    if (n == 0) break;
    used += static_cast<std::size_t>(n);
    if (used > max_bytes) fail_too_large(name, max_bytes);
  }
  buffer->resize(used);
  FileBytes out;
  out.bytes_ = {buffer->data(), used};
  out.owner_ = std::move(buffer);
  return out;
}

OutputFile::OutputFile(const std::string& path, const std::string& name)
    : path_(path), name_(name) {
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) fail_output(name + ": is a directory; expected a file");
  if (exists && !S_ISREG(info.st_mode)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_ = concat(path, ".tmp", ::getpid());
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("cannot be written");
  }
  buffer_.reserve(kBufferBytes);
  if (!temporary_.empty()) guard_slot_ = guard_temporary(temporary_.c_str());
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  forget_temporary(guard_slot_);
  ::unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view text) {
  if (buffer_.size() + text.size() > kBufferBytes) flush();
  if (text.size() > kBufferBytes) {
    write_through(text.data(), text.size());
  } else {
    buffer_.insert(buffer_.end(), text.begin(), text.end());
  }
}

void OutputFile::write(std::span<const unsigned char> bytes) {
  write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void OutputFile::write_at(std::uint64_t offset, std::span<const unsigned char> bytes) {
  assert(!temporary_.empty());
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

void OutputFile::commit() {
  flush();
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail("cannot be written");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be moved into place");
  forget_temporary(guard_slot_);
  temporary_.clear();
}

void OutputFile::flush() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void OutputFile::write_through(const char* data, std::size_t size) {
  write_descriptor(descriptor_, name_, {data, size});
}

void OutputFile::fail(const char* what) const {
  fail_output(concat(name_, ": ", what, ": ", reason()));
}

void write_file(const std::string& path, std::span<const unsigned char> bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

void write_descriptor(int descriptor, const std::string& name, std::span<const char> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_output(concat(name, ": cannot be written: ", reason()));
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace mha
