#include "jpeg_tables.hpp"

#include <cstddef>

namespace mha {
namespace {

constexpr unsigned kMarker = 0xFF;
constexpr unsigned kTables = 0xC4;
constexpr std::size_t kCounts = 16;  // of codes, by their length
constexpr std::size_t kMostCodes = 256;

unsigned byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

std::size_t length_at(std::string_view bytes, std::size_t at) {
  return byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
}

// Segments of this kind have a length behind their marker, and another segment follows.
bool is_plain_segment(unsigned marker) {
  const bool is_alone = marker <= 0x01 || (marker >= 0xD0 && marker <= 0xD9);
  constexpr unsigned kScan = 0xDA;
  return !is_alone && marker != kScan && marker != kMarker;
}

// APP0 and APP14 say how colours are stored.
bool is_extra_segment(unsigned marker) {
  const bool is_application = marker >= 0xE0 && marker <= 0xEF;
  return marker == 0xFE || (is_application && marker != 0xE0 && marker != 0xEE);
}

// The tables of one segment, whose length stands at `at`, read as the decoder reads them.
bool are_sound(std::string_view bytes, std::size_t at) {
  auto left = static_cast<std::ptrdiff_t>(length_at(bytes, at)) - 2;
  at += 2;
  while (left > 0 && at < bytes.size()) {
    const unsigned kind = byte_at(bytes, at);
    if ((kind >> 4) > 1 || (kind & 15) > 3) return true;  // refused by the decoder
    std::size_t n_codes = 0;
    for (std::size_t i = 1; i <= kCounts; ++i) n_codes += byte_at(bytes, at + i);
    if (n_codes > kMostCodes) return false;
    at += 1 + kCounts + n_codes;
    left -= static_cast<std::ptrdiff_t>(1 + kCounts + n_codes);
  }
  return true;
}

}  // namespace

std::string without_extra_segments(std::string_view jpeg) {
  std::string out(jpeg.substr(0, 2));
  std::size_t at = out.size();
  while (at + 4 <= jpeg.size() && byte_at(jpeg, at) == kMarker) {
    const unsigned marker = byte_at(jpeg, at + 1);
    const std::size_t length = 2 + length_at(jpeg, at + 2);
    if (!is_plain_segment(marker) || length < 4 || length > jpeg.size() - at) break;
    if (!is_extra_segment(marker)) out += jpeg.substr(at, length);
    at += length;
  }
  out += jpeg.substr(at);
  return out;
}

bool has_sound_tables(std::string_view jpeg) {
  for (std::size_t at = 0; at + 1 < jpeg.size(); ++at) {
    const bool starts_tables = byte_at(jpeg, at) == kMarker && byte_at(jpeg, at + 1) == kTables;
    if (starts_tables && !are_sound(jpeg, at + 2)) return false;
  }
  return true;
}

}  // namespace mha
