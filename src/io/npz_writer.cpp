// Writes .npz as a zip archive without compression: fixed times and no padding, so that the same
// arrays give the same bytes. Layout by the ZIP specification (APPNOTE 6.3.9, sections 4.3 to 4.5).
#include <cstdint>
#include <string>

#include "mha/base/checked.hpp"
#include "mha/base/deflate.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/npy.hpp"
#include "mha/io/npz.hpp"

namespace mha {
namespace {

constexpr std::uint64_t kIn64 = 0xFFFFFFFF;  // a 32-bit field that says "see the 64-bit one"
constexpr std::uint64_t kCountIn64 = 0xFFFF;
constexpr std::uint16_t kVersion = 45;             // the first with 64-bit fields
constexpr std::uint16_t kNameIsUtf8 = 1U << 11;    // general purpose bit 11
constexpr std::uint16_t kFirstDay = 1U << 5 | 1U;  // 1 January 1980

// Little-endian fields one after another.
class Record {
 public:
  Record& u16(std::uint64_t value) { return put(value, 2); }
  Record& u32(std::uint64_t value) { return put(value, 4); }
  Record& u64(std::uint64_t value) { return put(value, 8); }
  Record& text(const std::string& value) {
    bytes_ += value;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& put(std::uint64_t value, int n_bytes) {
    for (int i = 0; i < n_bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFF);
    return *this;
  }
  std::string bytes_;
};

std::span<const unsigned char> bytes_of(std::span<const float> data) {
  return {reinterpret_cast<const unsigned char*>(data.data()), data.size_bytes()};
}

std::span<const unsigned char> bytes_of(const std::string& text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

struct WrittenMember {
  std::string name;
  std::uint32_t checksum = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

// The fields that a member's local header and its entry in the directory share.
void put_common(const WrittenMember& member, std::size_t extra_size, Record* out) {
  out->u16(kVersion).u16(kNameIsUtf8).u16(0).u16(0).u16(kFirstDay).u32(member.checksum);
  out->u32(kIn64).u32(kIn64).u16(member.name.size()).u16(extra_size);
}

// Sizes are always in the 64-bit extra field, as NumPy writes them.
std::string local_header(const WrittenMember& member) {
  Record extra;
  extra.u16(1).u16(16).u64(member.size).u64(member.size);
  Record out;
  out.u32(0x04034B50);
  put_common(member, extra.bytes().size(), &out);
  return out.text(member.name).text(extra.bytes()).bytes();
}

std::string directory_entry(const WrittenMember& member) {
  Record extra;
  extra.u16(1).u16(24).u64(member.size).u64(member.size).u64(member.offset);
  Record out;
  out.u32(0x02014B50).u16(kVersion);
  put_common(member, extra.bytes().size(), &out);
  out.u16(0).u16(0).u16(0).u32(0).u32(kIn64);  // no comment, one disk, no attributes
  return out.text(member.name).text(extra.bytes()).bytes();
}

std::string directory_end(std::uint64_t n_entries, std::uint64_t begin, std::uint64_t size) {
  Record out;
  out.u32(0x06064B50).u64(44).u16(kVersion).u16(kVersion).u32(0).u32(0);
  out.u64(n_entries).u64(n_entries).u64(size).u64(begin);
  out.u32(0x07064B50).u32(0).u64(begin + size).u32(1);
  const std::uint64_t count = std::min(n_entries, kCountIn64);
  out.u32(0x06054B50).u16(0).u16(0).u16(count).u16(count);
  out.u32(std::min(size, kIn64)).u32(std::min(begin, kIn64)).u16(0);
  return out.bytes();
}

}  // namespace

void write_npz(const std::string& path, const std::vector<NamedArray>& arrays) {
  OutputFile file(path);
  std::string directory;
  std::uint64_t at = 0;
  for (const NamedArray& array : arrays) {
    if (element_count(array.shape) != array.data.size() || array.name.size() > 0xF000) {
      throw Error(ErrorKind::kInternal, "an array to be written does not fit its shape");
    }
    const std::string header = npy_header(array.shape);
    WrittenMember member{array.name + ".npy", crc32(bytes_of(array.data), crc32(bytes_of(header))),
                         header.size() + array.data.size_bytes(), at};
    const std::string local = local_header(member);
    file.write(local);
    file.write(header);
    file.write(bytes_of(array.data));
    directory += directory_entry(member);
    at += local.size() + member.size;
  }
  file.write(directory);
  file.write(directory_end(arrays.size(), at, directory.size()));
  file.commit();
}

}  // namespace mha
