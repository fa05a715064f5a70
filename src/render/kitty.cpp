#include <algorithm>

#include "mha/base/text.hpp"
#include "mha/render/terminal_graphics.hpp"

namespace mha::render {
namespace {

constexpr std::size_t kPiece = 4096;  // bytes of base64, as the protocol allows

std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr char kLetters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= n ? kLetters[group >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return out;
}

}  // namespace

std::string encode_kitty(std::span<const std::uint8_t> png) {
  const std::string payload = base64(png);
  std::string out;
  for (std::size_t i = 0; i < payload.size(); i += kPiece) {
    const bool is_last = i + kPiece >= payload.size();
    // T: transmit and show; 100: PNG; q=2: no answers, which would reach the shell as typed text.
    const char* keys = i == 0 ? "a=T,f=100,q=2," : "";
    out += concat("\033_G", keys, "m=", is_last ? 0 : 1, ";", payload.substr(i, kPiece), "\033\\");
  }
  return out;
}

}  // namespace mha::render
