#include "mha/base/utf8.hpp"

#include "post_processor.hpp"
#include "unicode.hpp"

namespace mha::tok {
namespace {

bool is_space_character(char32_t code) {
  constexpr char32_t kByteLevelSpace = 0x120;
  return code == kByteLevelSpace || is_white_space(code);
}

// How many characters of white space the token begins and ends with.
struct SpaceCount {
  std::size_t leading = 0;
  std::size_t trailing = 0;
};

SpaceCount count_space(std::string_view token) {
  SpaceCount count;
  bool only_space = true;
  for (std::size_t offset = 0; offset < token.size();) {
    const bool is_space = is_space_character(next_code_point(token, &offset));
    only_space = only_space && is_space;
    if (only_space) ++count.leading;
    count.trailing = is_space ? count.trailing + 1 : 0;
  }
  return count;
}

}  // namespace

void trim_offsets(std::string_view text, bool keep_first_space, TokenizedText* tokens) {
  for (std::size_t i = 0; i < tokens->ids.size(); ++i) {
    SpaceCount space = count_space(tokens->tokens[i]);
    ByteRange& range = tokens->offsets[i];
    const bool is_first = i == 0 || range.begin == 0;
    // One space at the start is the one that the pre-tokenizer put there: the text has none.
    if (is_first && keep_first_space && space.leading == 1) space.leading = 0;
    for (; space.leading > 0 && range.begin < range.end; --space.leading) {
      next_code_point(text, &range.begin);
    }
    for (; space.trailing > 0 && range.begin < range.end; --space.trailing) {
      do --range.end;
      while (range.end > range.begin &&
             (static_cast<unsigned char>(text[range.end]) & 0xC0) == 0x80);
    }
  }
}

}  // namespace mha::tok
