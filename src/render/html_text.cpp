#include "mha/render/html_text.hpp"

#include <cstdint>
#include <cstdio>
#include <functional>

namespace mha::render {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 0;  // bytes
};

// The code point at the start of the text. A byte that starts none stands for itself: the text has
// been checked before, and what is left of it is not interpreted here.
CodePoint first_code_point(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = at(0);
  const std::size_t size = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (size == 1 || size > text.size()) return {lead, 1};
  std::uint32_t value = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((at(i) & 0xC0) != 0x80) return {lead, 1};
    value = value << 6 | (at(i) & 0x3F);
  }
  return {value, size};
}

bool turns_direction(std::uint32_t c) {
  return c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

bool is_line_separator(std::uint32_t c) {
  return c == 0x85 || c == 0x2028 || c == 0x2029;
}

std::string formatted(const char* format, std::uint32_t c) {
  char text[16];
  std::snprintf(text, sizeof text, format, static_cast<unsigned>(c));
  return text;
}

// `replace` returns what stands for a code point, "" for itself.
std::string replaced(std::string_view text,
                     const std::function<std::string(std::uint32_t)>& replace) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    const std::string other = replace(c.value);
    out += other.empty() ? text.substr(0, c.size) : std::string_view(other);
    text.remove_prefix(c.size);
  }
  return out;
}

std::string html_form(std::uint32_t c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      break;
  }
  const bool is_control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0);
  const bool is_spelt = is_control || turns_direction(c) || is_line_separator(c);
  return is_spelt ? formatted("U+%04X", c) : "";
}

}  // namespace

std::string html_text(std::string_view text) {
  return replaced(text, html_form);
}

std::string script_json(std::string_view json) {
  return replaced(json, [](std::uint32_t c) {
    const bool is_markup = c == '<' || c == '>' || c == '&';
    const bool is_unsafe = is_markup || c == 0x7F || turns_direction(c) || is_line_separator(c);
    return is_unsafe ? formatted("\\u%04x", c) : std::string();
  });
}

std::string spell_direction_marks(std::string_view text) {
  return replaced(text, [](std::uint32_t c) {
    return turns_direction(c) ? formatted("<U+%04X>", c) : std::string();
  });
}

}  // namespace mha::render
