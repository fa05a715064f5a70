#include "mha/base/utf8.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace mha {
namespace {

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> out;
  for (std::size_t offset = 0; offset < text.size();) {
    out.push_back(next_code_point(text, &offset));
  }
  return out;
}

TEST_CASE("every code point survives writing and reading") {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    append_code_point(code, &text);
    std::size_t offset = 0;
    const bool same = next_code_point(text, &offset) == code && offset == text.size();
    if (!same) FAIL("U+" << std::hex << static_cast<unsigned>(code));
  }
}

TEST_CASE("text of many scripts is walked over by code points") {
  CHECK(code_points("a猫é🐈") == std::vector<char32_t>{U'a', U'猫', U'é', U'🐈'});
  CHECK(count_code_points("a猫é🐈") == 4);
  CHECK(find_bad_utf8("a猫é🐈") == std::string_view::npos);
}

TEST_CASE("ill-formed bytes are found where they stand, one at a time") {
  CHECK(find_bad_utf8("ab\xFF") == 2);
  CHECK(find_bad_utf8("a\xC3") == 1);             // cut short
  CHECK(find_bad_utf8("\xE7\x8C") == 0);          // cut short
  CHECK(find_bad_utf8("\xC0\xAF") == 0);          // overlong "/"
  CHECK(find_bad_utf8("\xE0\x80\xAF") == 0);      // overlong "/"
  CHECK(find_bad_utf8("\xED\xA0\x80") == 0);      // surrogate U+D800
  CHECK(find_bad_utf8("\xF4\x90\x80\x80") == 0);  // above U+10FFFF
  CHECK(find_bad_utf8("\x80") == 0);              // a tail without a head
  CHECK(code_points("\xC3\x28") == std::vector<char32_t>{kBadUtf8, U'('});
  CHECK(code_points("\xE7\x8C!") == std::vector<char32_t>{kBadUtf8, kBadUtf8, U'!'});
  CHECK(count_code_points("\xFF\xFE") == 2);
}

}  // namespace
}  // namespace mha
