// Cutting a label into runs that one font can shape. Knows nothing of font libraries: what a
// character is comes in as CharInfo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace mha::render {

struct CharInfo {
  char32_t code = 0;
  std::uint32_t script = 0;   // any number; 0 = shared by scripts (spaces, digits, emoji)
  bool joins_before = false;  // belongs to the character before it: combining mark, ZWJ, selector
  bool invisible = false;     // needs no glyph
};

// Characters [begin, end) drawn with one font, in one direction.
struct TextRun {
  std::size_t begin = 0;
  std::size_t end = 0;
  int font = 0;  // kNoFont: no font has these
  bool rtl = false;
};

inline constexpr int kNoFont = -1;

// The code points of a label, safe to draw: ill-formed bytes become U+FFFD, control characters and
// line ends a space.
std::vector<char32_t> drawable_text(std::string_view utf8);

bool is_rtl(char32_t c);

// A character that never stands alone: joiners, selectors, emoji modifiers and tags. (Combining
// marks are the caller's to know.)
bool is_joining(char32_t c);

// Which fonts there are, for choose_runs.
struct FontChoice {
  // The font to use for the characters [begin, end) when they should be drawn together; kNoFont
  // when no single font has all of them.
  std::function<int(std::size_t begin, std::size_t end)> covering;
};

// Runs in the order of the text. Never cuts a cluster (a character with what joins it); a word of
// one script stays in one font where a font has all of it.
std::vector<TextRun> choose_runs(const std::vector<CharInfo>& text, const FontChoice& fonts);

// The runs from left to right, when the whole label reads in the direction of its first strong
// character: in a right-to-left label, numbers and Latin words still read left to right.
std::vector<TextRun> visual_order(const std::vector<CharInfo>& text, std::vector<TextRun> runs);

// Start offsets of the clusters, then the size of the text.
std::vector<std::size_t> cluster_starts(const std::vector<CharInfo>& text);

}  // namespace mha::render
