// Zip archives built byte by byte, right ones and broken ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mha/base/deflate.hpp"

#include "support/raw_files.hpp"

namespace mha::test {

inline std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// One member; fields that are set by hand may be wrong.
struct ZipMember {
  ZipMember(std::string member_name, std::string member_content, bool deflated = false)
      : name(std::move(member_name)), content(std::move(member_content)) {
    checksum = crc32(bytes_of(content));
    size = static_cast<std::uint32_t>(content.size());
    if (!deflated) return;
    method = 8;
    // A zlib stream is a deflate stream between a header of 2 bytes and a checksum of 4.
    const std::vector<std::uint8_t> zlib = zlib_compress(bytes_of(content), 6);
    content.assign(zlib.begin() + 2, zlib.end() - 4);
  }

  std::string name;
  std::string content;  // as it stands in the archive
  std::uint32_t checksum = 0;
  std::uint32_t size = 0;  // when decoded
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
};

inline std::string zip_file(const std::vector<ZipMember>& members) {
  const auto u16 = [](std::size_t value) {
    return little_endian(static_cast<std::uint16_t>(value));
  };
  const auto u32 = [](std::size_t value) {
    return little_endian(static_cast<std::uint32_t>(value));
  };
  std::string out;
  std::string directory;
  for (const ZipMember& m : members) {
    const std::string common = u16(20) + u16(m.flags) + u16(m.method) + u32(0x210000) +
                               u32(m.checksum) + u32(m.content.size()) + u32(m.size) +
                               u16(m.name.size()) + u16(0);
    directory +=
        "PK\1\2" + u16(20) + common + u16(0) + u16(0) + u16(0) + u32(0) + u32(out.size()) + m.name;
    out += "PK\3\4" + common + m.name + m.content;
  }
  const std::size_t begin = out.size();
  return out + directory + "PK\5\6" + u16(0) + u16(0) + u16(members.size()) + u16(members.size()) +
         u32(directory.size()) + u32(begin) + u16(0);
}

}  // namespace mha::test
