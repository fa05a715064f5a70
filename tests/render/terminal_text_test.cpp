// Widths in terminals: East Asian characters, marks, emoji; and what must not be obeyed.
#include "mha/render/terminal_text.hpp"

#include "support/catch.hpp"

namespace mha::render {
namespace {

TEST_CASE("terminal widths count columns, not characters") {
  CHECK(terminal_width("abc") == 3);
  CHECK(terminal_width("") == 0);
  CHECK(terminal_width("\u732B") == 2);              // a Chinese character
  CHECK(terminal_width("\uD55C\uAE00") == 4);        // Korean syllables
  CHECK(terminal_width("\u1112\u1161\u11AB") == 2);  // one syllable of three letters
  CHECK(terminal_width("\uFF21") == 2);              // a full-width letter
  CHECK(terminal_width("e\u0301") == 1);             // a letter and its accent
  CHECK(terminal_width("e\u0301\u0323x") == 2);      // two marks on one letter
  CHECK(terminal_width("\U0001F600") == 2);          // an emoji
  CHECK(terminal_width("\U0001F468\u200D\U0001F469\u200D\U0001F467") == 2);  // a family
  CHECK(terminal_width("\U0001F44D\U0001F3FD") == 2);  // a thumb with a skin tone
  CHECK(terminal_width("\U0001F1E9\U0001F1EA") == 2);  // a flag of two letters
}

TEST_CASE("a cut keeps clusters whole and within its columns") {
  CHECK(cut_to_columns("creature", 8) == "creature");
  CHECK(cut_to_columns("creature", 6) == "creat\u2026");
  CHECK(cut_to_columns("creature", 6, true) == "creat~");
  CHECK(cut_to_columns("\u732B\u72AC\u9CE5", 5) == "\u732B\u72AC\u2026");
  CHECK(cut_to_columns("\u732B\u72AC\u9CE5", 4) == "\u732B\u2026");  // half a character is none
  CHECK(cut_to_columns("e\u0301e\u0301e\u0301", 2) == "e\u0301\u2026");
  CHECK(cut_to_columns("abc", 1) == "\u2026");
  CHECK(cut_to_columns("abc", 0).empty());
  for (std::size_t columns = 0; columns < 12; ++columns) {
    CHECK(terminal_width(cut_to_columns("a\u732Bb\u0301\U0001F600cdefg", columns)) <= columns);
  }
}

TEST_CASE("text is padded by columns") {
  CHECK(padded_to("\u732B", 4) == "\u732B  ");
  CHECK(padded_to("\u732B", 4, true) == "  \u732B");
  CHECK(padded_to("abcd", 2) == "abcd");
}

TEST_CASE("nothing in a text can be obeyed by a terminal") {
  CHECK(terminal_safe("a\033[31mb") == "a\\x1B[31mb");
  CHECK(terminal_safe("a\u009B31mb") == "a\\x9B31mb");  // the same in one character
  CHECK(terminal_safe(std::string_view("a\0b\n\t\r\x7F", 7)) == "a\\x00b\\x0A\\x09\\x0D\\x7F");
  CHECK(terminal_safe("\xFF\xC3") == "\\xFF\\xC3");
  CHECK(terminal_safe("a\u202Eb\u2066c\u2028") == "a\\u202Eb\\u2066c\\u2028");
  CHECK(terminal_safe("\u2764\uFE0F") ==
        "\u2764");  // terminals dispute the width with the selector
  CHECK(terminal_safe("caf\u00E9 \u732B") == "caf\u00E9 \u732B");
}

TEST_CASE("ASCII stands in for other characters, column by column") {
  CHECK(to_ascii("\u00B7the") == "_the");
  CHECK(to_ascii("caf\u00E9") == "caf?");
  CHECK(to_ascii("\u732B") == "??");
  CHECK(to_ascii("\033") == "\\x1B");
}

}  // namespace
}  // namespace mha::render
