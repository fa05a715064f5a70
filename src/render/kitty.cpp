#include "mha/base/base64.hpp"
#include "mha/base/text.hpp"
#include "mha/render/terminal_graphics.hpp"

namespace mha::render {
namespace {

constexpr std::size_t kPiece = 4096;  // bytes of base64, as the protocol allows

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
