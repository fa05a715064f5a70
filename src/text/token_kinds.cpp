#include "mha/text/token_kinds.hpp"

#include <algorithm>
#include <utf8proc.h>

#include "mha/base/utf8.hpp"

#include "token_marks.hpp"

namespace mha {
namespace {

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
