#include "mha/text/tokens.hpp"

#include "mha/base/utf8.hpp"

#include "support/catch.hpp"

namespace mha {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("a sentence is split at white space and punctuation") {
  CHECK(split_words("the cat sat") == Words{"the", "cat", "sat"});
  CHECK(split_words("  the\tcat\n\nsat \r\n") == Words{"the", "cat", "sat"});
  CHECK(split_words("Wait... what?") == Words{"Wait", ".", ".", ".", "what", "?"});
  CHECK(split_words("\"yes\", (no)") == Words{"\"", "yes", "\"", ",", "(", "no", ")"});
  CHECK(split_words("").empty());
  CHECK(split_words(" \t\n").empty());
}

TEST_CASE("an apostrophe or hyphen between letters belongs to the word") {
  CHECK(split_words("don't well-known") == Words{"don't", "well-known"});
  CHECK(split_words("dogs' -5 'tis a- -b") ==
        Words{"dogs", "'", "-", "5", "'", "tis", "a", "-", "-", "b"});
  CHECK(split_words("a--b") == Words{"a", "-", "-", "b"});
}

TEST_CASE("words of other scripts stay whole") {
  CHECK(split_words("猫 吃鱼 кот, ест") == Words{"猫", "吃鱼", "кот", ",", "ест"});
  CHECK(split_words("l'été") == Words{"l'été"});
}

TEST_CASE("space marks of tokenizers are shown as a middle dot") {
  CHECK(display_token("Ġthe") == "·the");
  CHECK(display_token("▁the") == "·the");
  CHECK(display_token(" the") == "·the");
  CHECK(display_token("▁▁x") == "··x");
  CHECK(display_token("ĠĠ") == "··");
  CHECK(display_token("a b") == "a b");  // a space inside stays
  CHECK(display_token("the") == "the");
}

TEST_CASE("line ends, tabs and continuation marks stay readable") {
  CHECK(display_token("Ċ") == "⏎");
  CHECK(display_token("\n") == "⏎");
  CHECK(display_token("a\nb") == "a⏎b");
  CHECK(display_token("\t") == "⇥");
  CHECK(display_token("##ing") == "##ing");
  CHECK(display_token("") == "∅");
}

TEST_CASE("what byte-level BPE spells in other letters is shown as the text it stands for") {
  CHECK(display_token("ĠcafÃ©") == "·café");
  CHECK(display_token("çĮ«") == "猫");
  CHECK(display_token("été") == "été");    // text of another kind: no UTF-8 as bytes
  CHECK(display_token("Łódź") == "Łódź");  // and one with a letter that is no byte
  const Words tokens{"I", "Ġ", "ðŁĺ", "Ģ", "Ġnaïve", "Ċ", "<s>"};
  CHECK(display_tokens(tokens) == Words{"I", "·", "<F0><9F><98>", "<80>", "·na<EF>ve", "⏎", "<s>"});
  CHECK(display_tokens({"▁the", "Ł"}) == Words{"·the", "Ł"});  // not byte-level as a whole
}

TEST_CASE("bytes are shown as bytes and never as U+FFFD") {
  CHECK(display_token("<0xE7>") == "<E7>");
  CHECK(display_token("\xE7") == "<E7>");
  CHECK(display_token("\x8C\xAB") == "<8C><AB>");
  CHECK(display_token("a\xFF") == "a<FF>");
  CHECK(display_token("<0xZZ>") == "<0xZZ>");
  CHECK(display_token("<0xE7>x") == "<0xE7>x");
  CHECK(display_token("\uFFFD") == "\uFFFD");  // that is what the token is
}

TEST_CASE("control characters and escape codes cannot reach a terminal or a picture") {
  CHECK(display_token("\x1B[31mred") == "\\x1B[31mred");
  CHECK(display_token(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(display_token("\x7F") == "\\x7F");
  CHECK(display_token("\u009B31m") == "\\x9B31m");   // the one-character form of ESC [
  CHECK(display_token("</script>") == "</script>");  // escaping is each format's own work
  CHECK(display_token("<s>") == "<s>");
}

TEST_CASE("whatever bytes a token has, what is shown is well-formed text") {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string token{static_cast<char>(a), static_cast<char>(b)};
      const std::string shown = display_token(token);
      if (shown.empty() || find_bad_utf8(shown) != std::string::npos) FAIL(a << " " << b);
    }
  }
}

TEST_CASE("special tokens are marks in brackets or angle brackets") {
  for (const char* token :
       {"[CLS]", "[SEP]", "[PAD]", "[MASK]", "[UNK]", "[UNUSED_3]", "[bos]", "[mask]", "<s>",
        "</s>", "<pad>", "<extra_id_0>", "<|endoftext|>", "<|fim-prefix|>"}) {
    INFO(token);
    CHECK(is_special_token(token));
  }
  for (const char* token : {"",   "[",   "]",      "[]",   "[laughs]", "[1]", "[Cls]", "CLS",
                            "<>", "</>", "<||>",   "<|",   "|>",       "<",   "<3>",   "<a b>",
                            "<s", "s>",  "<0xE7>", "x<s>", "<s>x",     "</s", "<|a>",  "▁<s>"}) {
    INFO(token);
    CHECK_FALSE(is_special_token(token));
  }
}

TEST_CASE("a byte token stands for its byte") {
  CHECK(byte_token("<0xE7>") == 0xE7);
  CHECK(byte_token("<0x0a>") == 0x0A);
  for (const char* token : {"", "<0x>", "<0xE>", "<0xE7>x", "<0xE70>", "<0x+1>", "<0xG1>", "E7"}) {
    INFO(token);
    CHECK_FALSE(byte_token(token).has_value());
  }
}

TEST_CASE("byte-level tokens stand for the bytes of their characters") {
  CHECK(byte_level_text("the") == "the");
  CHECK(byte_level_text("Ġthe") == " the");
  CHECK(byte_level_text("Ċ") == "\n");
  CHECK(byte_level_text("cafÃ©") == "café");
  CHECK(byte_level_text("âĢĻ") == "’");
  CHECK(byte_level_text("Ń") == "\xAD");
  CHECK(byte_level_text("łġĢ") == "\xA0\x7F\x80");
  CHECK(byte_level_text("") == "");
  CHECK_FALSE(byte_level_text("the cat").has_value());
  CHECK_FALSE(byte_level_text("猫").has_value());
  CHECK_FALSE(byte_level_text("\xFF").has_value());
}

}  // namespace
}  // namespace mha
