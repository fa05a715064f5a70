#include "mha/base/base64.hpp"

#include <cstddef>

namespace mha {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::span<const std::uint8_t> bytes) {
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  char* to = out.data();
  std::size_t i = 0;
  for (; i + 2 < bytes.size(); i += 3, to += 4) {
    const std::uint32_t bits = static_cast<std::uint32_t>(bytes[i]) << 16 |
                               static_cast<std::uint32_t>(bytes[i + 1]) << 8 | bytes[i + 2];
    to[0] = kAlphabet[bits >> 18];
    to[1] = kAlphabet[bits >> 12 & 63];
    to[2] = kAlphabet[bits >> 6 & 63];
    to[3] = kAlphabet[bits & 63];
  }
  if (i == bytes.size()) return out;
  const bool has_two = i + 1 < bytes.size();
  const std::uint32_t bits = static_cast<std::uint32_t>(bytes[i]) << 16 |
                             (has_two ? static_cast<std::uint32_t>(bytes[i + 1]) << 8 : 0);
  to[0] = kAlphabet[bits >> 18];
  to[1] = kAlphabet[bits >> 12 & 63];
  if (has_two) to[2] = kAlphabet[bits >> 6 & 63];
  return out;
}

}  // namespace mha
