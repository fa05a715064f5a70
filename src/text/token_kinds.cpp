#include "mha/text/token_kinds.hpp"

#include <algorithm>
#include <utf8proc.h>

#include "mha/base/utf8.hpp"

#include "token_marks.hpp"

namespace mha {
namespace {

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_name_byte);
}

bool is_bracketed(std::string_view token) {
  if (!token.starts_with('[') || !token.ends_with(']')) return false;
  const std::string_view name = token.substr(1, token.size() - 2);
  return is_name(name) && std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; }) &&
         std::ranges::any_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_angled(std::string_view token) {
  if (token.size() < 3 || !token.starts_with('<') || !token.ends_with('>')) return false;
  std::string_view name = token.substr(1, token.size() - 2);
  if (name.starts_with('/')) name.remove_prefix(1);
  if (name.size() > 2 && name.starts_with('|') && name.ends_with('|')) {
    name = name.substr(1, name.size() - 2);
  }
  return is_name(name);
}

bool is_punctuation(char32_t code) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool is_special_token(std::string_view token) {
  return is_bracketed(token) || (is_angled(token) && !is_byte_token(token));
}

bool is_punctuation_token(std::string_view token) {
  std::size_t offset = 0;
  bool any = false;
  if (token.size() > 2 && token.starts_with("##")) offset = 2;
  while (offset < token.size()) {
    const char32_t code = next_code_point(token, &offset);
    if (!any && is_space_mark(code)) continue;
    if (code == kBadUtf8 || !is_punctuation(code)) return false;
    any = true;
  }
  return any;
}

}  // namespace mha
