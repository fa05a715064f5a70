#include "mha/render/terminal_text.hpp"

#include <array>
#include <cstdio>
#include <utf8proc.h>

#include "mha/base/utf8.hpp"

namespace mha::render {
namespace {

constexpr char32_t kJoiner = 0x200D;
constexpr char32_t kWideSelector = 0xFE0F;
constexpr char32_t kMiddleDot = 0xB7;
constexpr char32_t kFirstPictogram = 0x1F000;

bool is_control_code(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

// Marks that turn the direction of what follows, and separators that may end a line.
bool is_unruly(char32_t code) {
  return steers_direction(code) || code == 0x2028 || code == 0x2029;
}

bool is_skin_tone(char32_t code) {
  return code >= 0x1F3FB && code <= 0x1F3FF;
}

bool is_flag_letter(char32_t code) {
  return code >= 0x1F1E6 && code <= 0x1F1FF;
}

// Vowels and final consonants that join the syllable begun before them.
bool is_syllable_part(char32_t code) {
  return (code >= 0x1160 && code <= 0x11FF) || (code >= 0xD7B0 && code <= 0xD7FF);
}

std::size_t code_width(char32_t code) {
  const int width = utf8proc_charwidth(static_cast<utf8proc_int32_t>(code));
  return width > 0 ? static_cast<std::size_t>(width) : 0;
}

std::string formatted(const char* format, unsigned value) {
  std::array<char, 16> out{};
  std::snprintf(out.data(), out.size(), format, value);
  return out.data();
}

// Adds a code point to the cluster that it continues, or begins.
void extend(Grapheme* cluster, char32_t code, char32_t previous) {
  const bool is_first = cluster->text.empty();
  append_code_point(code, &cluster->text);
  const bool is_part = previous == kJoiner || is_skin_tone(code) || is_syllable_part(code);
  if (is_first || !is_part) cluster->width += code_width(code);
  if (is_flag_letter(code)) cluster->width = 2;
  if (!is_first || code >= kFirstPictogram) cluster->is_sure = false;
}

}  // namespace

std::string terminal_safe(std::string_view text) {
  std::string out;
  char32_t previous = 0;
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t start = offset;
    const char32_t code = next_code_point(text, &offset);
    if (code == kBadUtf8) {
      out += formatted("\\x%02X", static_cast<unsigned char>(text[start]));
    } else if (is_control_code(code)) {
      out += formatted("\\x%02X", static_cast<unsigned>(code));
    } else if (is_unruly(code)) {
      out += formatted("\\u%04X", static_cast<unsigned>(code));
    } else if (code != kWideSelector || code_width(previous) != 1) {
      out += text.substr(start, offset - start);
    }
    previous = code;
  }
  return out;
}

std::vector<Grapheme> graphemes(std::string_view text) {
  const std::string safe = terminal_safe(text);
  std::vector<Grapheme> out;
  utf8proc_int32_t state = 0;
  char32_t previous = 0;
  for (std::size_t offset = 0; offset < safe.size();) {
    const char32_t code = next_code_point(safe, &offset);
    const bool begins = out.empty() || utf8proc_grapheme_break_stateful(
                                           static_cast<utf8proc_int32_t>(previous),
                                           static_cast<utf8proc_int32_t>(code), &state) != 0;
    if (begins) out.emplace_back();
    extend(&out.back(), code, begins ? 0 : previous);
    previous = code;
  }
  return out;
}

std::size_t terminal_width(std::string_view text) {
  std::size_t width = 0;
  for (const Grapheme& cluster : graphemes(text)) width += cluster.width;
  return width;
}

std::string cut_to_columns(std::string_view text, std::size_t columns, bool ascii) {
  const std::vector<Grapheme> clusters = graphemes(text);
  std::size_t total = 0;
  for (const Grapheme& cluster : clusters) total += cluster.width;
  std::string out;
  std::size_t used = 0;
  for (const Grapheme& cluster : clusters) {
    // Room for the ellipsis, where one will be needed.
    const std::size_t most = total <= columns ? columns : columns - (columns > 0 ? 1 : 0);
    if (used + cluster.width > most) break;
    out += cluster.text;
    used += cluster.width;
  }
  if (total > columns && columns > 0) out += ascii ? "~" : "\u2026";
  return out;
}

std::string padded_to(std::string_view text, std::size_t columns, bool to_the_right) {
  const std::string safe = terminal_safe(text);
  const std::size_t width = terminal_width(safe);
  const std::string spaces(width < columns ? columns - width : 0, ' ');
  return to_the_right ? spaces + safe : safe + spaces;
}

std::string to_ascii(std::string_view text) {
  std::string out;
  for (const Grapheme& cluster : graphemes(text)) {
    const bool is_ascii = cluster.text.size() == 1;
    std::size_t offset = 0;
    const bool is_space = next_code_point(cluster.text, &offset) == kMiddleDot;
    out += is_ascii ? cluster.text : is_space ? "_" : std::string(cluster.width, '?');
  }
  return out;
}

}  // namespace mha::render
