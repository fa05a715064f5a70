#include "mha/base/deflate.hpp"

#include <memory>

#include <libdeflate.h>

#include "mha/base/error.hpp"

namespace mha {

std::vector<std::uint8_t> zlib_compress(std::span<const std::uint8_t> bytes, int level) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (!compressor) throw Error(ErrorKind::kInternal, "cannot start the compressor");
  // The bound is as large as the input; only what the result needs is ever touched.
  const std::size_t bound = libdeflate_zlib_compress_bound(compressor.get(), bytes.size());
  const auto buffer = std::make_unique_for_overwrite<std::uint8_t[]>(bound);
  const std::size_t size =
      libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), buffer.get(), bound);
  return {buffer.get(), buffer.get() + size};
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  if (bytes.empty()) return before;  // libdeflate takes a null pointer for a new start
  return libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace mha
