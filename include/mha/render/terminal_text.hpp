// Text in the columns of a terminal: safe to print, measured, cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mha::render {

// What a terminal shows in one place: a base character with its marks, an emoji of several parts.
struct Grapheme {
  std::string text;
  std::size_t width = 0;  // columns: 0, 1 or 2; more where a script adds spacing marks
  bool is_sure = true;    // terminals agree on the width
};

// The text with everything that a terminal could obey made visible: control codes (as bytes and as
// U+0080 to U+009F) as "\x1B", ill-formed bytes likewise, marks of writing direction and line
// separators as "\u202E". A variation selector that would widen a narrow character is left out.
std::string terminal_safe(std::string_view text);

// The clusters of a text (Unicode Standard Annex 29) that is made safe first.
std::vector<Grapheme> graphemes(std::string_view text);

// Columns that the text takes: 2 for East Asian wide characters, 0 for combining marks.
std::size_t terminal_width(std::string_view text);

// At most `columns` wide; what is longer loses its end to an ellipsis ("~" where only ASCII is to
// be used). Never splits a cluster.
std::string cut_to_columns(std::string_view text, std::size_t columns, bool ascii = false);

// The text with spaces behind it (or in front), so that it takes at least so many columns.
std::string padded_to(std::string_view text, std::size_t columns, bool to_the_right = false);

// Printable ASCII: the space mark of labels becomes "_", any other character a "?" a column.
std::string to_ascii(std::string_view text);

}  // namespace mha::render
