#include "mha/render/html_text.hpp"

#include <cstdint>
#include <cstdio>
#include <functional>

#include "mha/base/utf8.hpp"

namespace mha::render {
namespace {

bool is_line_separator(std::uint32_t c) {
  return c == 0x85 || c == 0x2028 || c == 0x2029;
}

std::string formatted(const char* format, std::uint32_t c) {
  char text[16];
  std::snprintf(text, sizeof text, format, static_cast<unsigned>(c));
  return text;
}

// `replace` returns what stands for a code point, "" for itself. Bytes that are no UTF-8 stay as
// they are: the text has been checked before.
std::string replaced(std::string_view text,
                     const std::function<std::string(std::uint32_t)>& replace) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, &at);
    const std::string other = c == kBadUtf8 ? std::string() : replace(c);
    out += other.empty() ? text.substr(begin, at - begin) : std::string_view(other);
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
  const bool is_spelt = is_control || steers_direction(c) || is_line_separator(c);
  return is_spelt ? formatted("U+%04X", c) : "";
}

}  // namespace

std::string html_text(std::string_view text) {
  return replaced(text, html_form);
}

std::string script_json(std::string_view json) {
  return replaced(json, [](std::uint32_t c) {
    const bool is_markup = c == '<' || c == '>' || c == '&';
    const bool is_unsafe = is_markup || c == 0x7F || steers_direction(c) || is_line_separator(c);
    return is_unsafe ? formatted("\\u%04x", c) : std::string();
  });
}

std::string spell_direction_marks(std::string_view text) {
  return replaced(text, [](std::uint32_t c) {
    return steers_direction(c) ? formatted("<U+%04X>", c) : std::string();
  });
}

}  // namespace mha::render
