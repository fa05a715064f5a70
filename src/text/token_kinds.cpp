#include "mha/text/token_kinds.hpp"

#include "mha/base/utf8.hpp"

#include "token_marks.hpp"
#include "unicode.hpp"

namespace mha {
bool is_punctuation_token(std::string_view token) {
  std::size_t offset = 0;
  bool any = false;
  if (token.size() > 2 && token.starts_with("##")) offset = 2;
  while (offset < token.size()) {
    const char32_t code = next_code_point(token, &offset);
    if (!any && is_space_mark(code)) continue;
    if (code == kBadUtf8 || !tok::is_punctuation_category(code)) return false;
    any = true;
  }
  return any;
}

}  // namespace mha
