// Files in and out: whole contents mapped or read, and output that appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

class FileMapping;
class FloatCopier;

// The bytes of a file, mapped into memory where the file allows it and read otherwise (pipes,
// small files). Throws Error(kInput) for a missing file, a directory, or one larger than
// `max_bytes`.
class FileBytes {
 public:
  static FileBytes open(const std::string& path, std::size_t max_bytes);
  // The same for files of which only parts may be wanted: a mapped file may have any size, as it
  // takes no memory; `max_bytes` bounds what is read.
  static FileBytes map(const std::string& path, std::size_t max_bytes);
  // A copy of bytes that are in memory already.
  static FileBytes copy(std::string_view bytes);
  // Reads a file descriptor to its end, for example standard input; `name` is used in messages.
  static FileBytes read_all(int descriptor, const std::string& name, std::size_t max_bytes);

  std::span<const unsigned char> bytes() const { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

  // Throws Error(kInput) when a mapped file became shorter since it was opened: its last bytes may
  // have been read as zeros.
  void check_length() const;

  // For floats in these bytes, when they are mapped; else null.
  const FloatCopier* copier() const;

 private:
  static FileBytes open_within(const std::string& path, std::size_t max_mapped,
                               std::size_t max_read);

  std::span<const unsigned char> bytes_;
  std::shared_ptr<const void> owner_;     // keeps the mapping or the buffer
  const FileMapping* mapping_ = nullptr;  // the owner, when it is a mapping
};

// Touching a page that a mapped file lost to truncation ends a process by SIGBUS. After this call
// it ends with one clear message, exit code 3, and without temporary output files. Programs call it
// once, at their start.
void install_mapped_file_guard();

// check_length() for every file that is mapped now, with its path. To be called before results are
// trusted that were computed from mapped floats in place.
void check_mapped_files();

// Writes a file under a temporary name beside its target; commit() moves it into place. Without
// commit() nothing remains and an older file of that name is untouched. A target that is not a
// regular file (a pipe, /dev/null) is written directly. Throws Error(kOutput).
class OutputFile {
 public:
  explicit OutputFile(const std::string& path) : OutputFile(path, path) {}
  // `name` stands for the path in messages: a file that will be moved once more has a name there
  // that people know.
  OutputFile(const std::string& path, const std::string& name);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view text);
  void write(std::span<const unsigned char> bytes);
  // Bytes at a place of the file behind what write() puts there, in any order and by several
  // threads at once. Not for targets that are written directly.
  void write_at(std::uint64_t offset, std::span<const unsigned char> bytes);
  void commit();

 private:
  void flush();
  void write_through(const char* data, std::size_t size);
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  std::string name_;
  std::string temporary_;  // empty when the target is written directly
  int descriptor_ = -1;
  std::size_t guard_slot_ = 0;  // where the guard knows the temporary file
  std::vector<char> buffer_;
};

// Writes a whole file in one go, atomically.
void write_file(const std::string& path, std::span<const unsigned char> bytes);

// Writes to an open descriptor (standard output); throws Error(kOutput), also for a closed pipe.
void write_descriptor(int descriptor, const std::string& name, std::span<const char> bytes);

}  // namespace mha
