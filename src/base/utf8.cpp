#include "mha/base/utf8.hpp"

#include <cstdint>

namespace mha {
namespace {

struct LeadByte {
  std::size_t length;    // bytes of the whole sequence, 0 when the byte cannot start one
  char32_t bits;         // payload of the lead byte
  char32_t lowest_code;  // below this the form is overlong
};

LeadByte read_lead(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xC2 && byte <= 0xDF) return {2, byte & 0x1Fu, 0x80};
  if (byte >= 0xE0 && byte <= 0xEF) return {3, byte & 0x0Fu, 0x800};
  if (byte >= 0xF0 && byte <= 0xF4) return {4, byte & 0x07u, 0x10000};
  return {0, 0, 0};
}

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t* offset) {
  const std::size_t start = (*offset)++;
  const LeadByte lead = read_lead(static_cast<unsigned char>(text[start]));
  if (lead.length == 0 || lead.length > text.size() - start) return kBadUtf8;
  char32_t code = lead.bits;
  for (std::size_t i = 1; i < lead.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[start + i]);
    if ((byte & 0xC0) != 0x80) return kBadUtf8;
    code = (code << 6) | (byte & 0x3Fu);
  }
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < lead.lowest_code || code > 0x10FFFF || is_surrogate) return kBadUtf8;
  *offset = start + lead.length;
  return code;
}

std::size_t find_bad_utf8(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    const std::size_t start = offset;
    if (next_code_point(text, &offset) == kBadUtf8) return start;
  }
  return std::string_view::npos;
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t offset = 0; offset < text.size(); ++count) next_code_point(text, &offset);
  return count;
}

bool steers_direction(char32_t c) {
  return c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

void append_code_point(char32_t code, std::string* out) {
  const auto push = [out](char32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    push(code);
  } else if (code < 0x800) {
    push(0xC0 | (code >> 6));
    push(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    push(0xE0 | (code >> 12));
    push(0x80 | ((code >> 6) & 0x3F));
    push(0x80 | (code & 0x3F));
  } else {
    push(0xF0 | (code >> 18));
    push(0x80 | ((code >> 12) & 0x3F));
    push(0x80 | ((code >> 6) & 0x3F));
    push(0x80 | (code & 0x3F));
  }
}

}  // namespace mha
