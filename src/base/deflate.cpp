#include "mha/base/deflate.hpp"

#include <memory>

#include <libdeflate.h>

#include "mha/base/error.hpp"

namespace mha {

std::vector<std::uint8_t> zlib_compress(std::span<const std::uint8_t> bytes, int level) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (!compressor) throw Error(ErrorKind::kInternal, "cannot start the compressor");
  std::vector<std::uint8_t> out(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()));
  out.resize(libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), out.data(),
                                      out.size()));
  return out;
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

}  // namespace mha
