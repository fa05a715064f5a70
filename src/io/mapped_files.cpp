#include "mapped_files.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"

namespace mha {
namespace {

// Files beyond these numbers work as well, only without the guard.
constexpr std::size_t kMappings = 1024;
constexpr std::size_t kTemporaries = 64;
constexpr std::size_t kNoSlot = SIZE_MAX;

constexpr char kPrefix[] = "mha-viz: error: ";
constexpr char kShorter[] = "the file became shorter while it was read";

// `end` is 0 while the slot is free or being filled; it is set last and cleared first.
struct MappingSlot {
  std::atomic<std::uintptr_t> begin = 0;
  std::atomic<std::uintptr_t> end = 0;
  std::atomic<const char*> path = nullptr;
  const FileMapping* mapping = nullptr;  // under the lock; not for the handler
};

struct Tables {
  std::mutex lock;  // held by all who change a table, never by the handler
  std::array<MappingSlot, kMappings> mappings;
  std::array<std::atomic<const char*>, kTemporaries> temporaries = {};
};

// Never destroyed: files may be closed by destructors that run after those of static objects.
Tables& tables() {
  static auto* const kTables = new Tables;
  return *kTables;
}

std::size_t add_mapping(const FileMapping* mapping, const std::string& path) {
  const std::span<const unsigned char> bytes = mapping->bytes();
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  Tables& all = tables();
  const std::lock_guard guard(all.lock);
  for (std::size_t i = 0; i < kMappings; ++i) {
    MappingSlot& slot = all.mappings[i];
    if (slot.mapping != nullptr) continue;
    slot.mapping = mapping;
    slot.begin = begin;
    slot.path = path.c_str();
    slot.end = begin + bytes.size();
    return i;
  }
  return kNoSlot;
}

void remove_mapping(std::size_t i) {
  if (i == kNoSlot) return;
  const std::lock_guard guard(tables().lock);
  tables().mappings[i].end = 0;
  tables().mappings[i].mapping = nullptr;
}

// What may be called in a signal handler is little: write, unlink and _exit are.
void write_text(const char* text) {
  std::size_t left = std::strlen(text);
  while (left > 0) {
    const ssize_t n = ::write(STDERR_FILENO, text, left);
    if (n <= 0) return;
    text += n;
    left -= static_cast<std::size_t>(n);
  }
}

void on_bus_error(int signal, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const MappingSlot& slot : tables().mappings) {
    if (address < slot.begin || address >= slot.end) continue;
    write_text(kPrefix);
    write_text(slot.path);
    write_text(": ");
    write_text(kShorter);
    write_text("\n");
    for (const std::atomic<const char*>& temporary : tables().temporaries) {
      if (const char* path = temporary) ::unlink(path);
    }
    ::_exit(exit_code(ErrorKind::kInput));
  }
  std::signal(signal, SIG_DFL);  // none of ours: the access is repeated and ends the process
}

}  // namespace

FileMapping::FileMapping(std::string path, int descriptor, void* start, std::size_t size)
    : path_(std::move(path)),
      descriptor_(descriptor),
      start_(start),
      size_(size),
      slot_(add_mapping(this, path_)) {}

FileMapping::~FileMapping() {
  remove_mapping(slot_);
  ::munmap(start_, size_);
  ::close(descriptor_);
}

void FileMapping::copy(const float* from, std::span<float> to) const {
  const auto* const place = reinterpret_cast<const unsigned char*>(from);
  const auto offset = static_cast<std::size_t>(place - static_cast<const unsigned char*>(start_));
  auto* const out = reinterpret_cast<unsigned char*>(to.data());
  std::size_t done = 0;
  while (done < to.size_bytes()) {
    const ssize_t n =
        ::pread(descriptor_, out + done, to.size_bytes() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  std::memcpy(out + done, place + done, to.size_bytes() - done);
}

std::string FileMapping::length_problem() const {
  struct stat info {};
  const bool is_known = ::fstat(descriptor_, &info) == 0;
  if (!is_known || static_cast<std::size_t>(info.st_size) >= size_) return {};
  return concat(kShorter, "; expected ", size_, " bytes, got ", info.st_size);
}

std::size_t guard_temporary(const char* path) {
  const std::lock_guard guard(tables().lock);
  for (std::size_t i = 0; i < kTemporaries; ++i) {
    if (tables().temporaries[i] != nullptr) continue;
    tables().temporaries[i] = path;
    return i;
  }
  return kNoSlot;
}

void forget_temporary(std::size_t slot) {
  if (slot == kNoSlot) return;
  const std::lock_guard guard(tables().lock);
  tables().temporaries[slot] = nullptr;
}

void install_mapped_file_guard() {
  tables();  // built now: the handler must not allocate
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

void check_mapped_files() {
  const std::lock_guard guard(tables().lock);
  for (const MappingSlot& slot : tables().mappings) {
    if (slot.mapping == nullptr) continue;
    const std::string problem = slot.mapping->length_problem();
    if (!problem.empty()) fail_input(slot.mapping->path() + ": " + problem);
  }
}

}  // namespace mha
