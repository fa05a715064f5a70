// Expectations come from the documentation of Hugging Face's tokenizers.
#include "support/catch.hpp"
#include "text/small_tokenizers.hpp"

namespace mha::test {
namespace {

TEST_CASE("words between white space") {
  CHECK(words(R"({"type": "Whitespace"})", "Hello there!  I'm \u732B_1, caf\u00E9") ==
        Pieces{"Hello", "there", "!", "I", "'", "m", "\u732B_1", ",", "caf\u00E9"});
  CHECK(words(R"({"type": "WhitespaceSplit"})", " Hello,\tthere!\u3000x\n") ==
        Pieces{"Hello,", "there!", "x"});
  CHECK(words(R"({"type": "CharDelimiterSplit", "delimiter": "x"})", "axxbcx") ==
        Pieces{"a", "bc"});
  CHECK(words(R"({"type": "BertPreTokenizer"})", "Hey, it's $5\u2014ok") ==
        Pieces{"Hey", ",", "it", "'", "s", "$", "5", "\u2014", "ok"});
  CHECK(words("null", "one word").size() == 1);
  CHECK(words(R"({"type": "Whitespace"})", " \n").empty());
}

TEST_CASE("digits alone or together") {
  const std::string text = "Call 123 please";
  CHECK(words(R"({"type": "Digits", "individual_digits": true})", text) ==
        Pieces{"Call ", "1", "2", "3", " please"});
  CHECK(words(R"({"type": "Digits", "individual_digits": false})", text) ==
        Pieces{"Call ", "123", " please"});
}

TEST_CASE("what becomes of the matches of a split") {
  const auto split = [](const std::string& behavior, bool invert = false) {
    return words(R"({"type": "Split", "pattern": {"String": "-"}, "behavior": ")" + behavior +
                     R"(", "invert": )" + (invert ? "true}" : "false}"),
                 "the-final--countdown");
  };
  CHECK(split("Removed") == Pieces{"the", "final", "countdown"});
  CHECK(split("Isolated") == Pieces{"the", "-", "final", "-", "-", "countdown"});
  CHECK(split("MergedWithPrevious") == Pieces{"the-", "final-", "-", "countdown"});
  CHECK(split("MergedWithNext") == Pieces{"the", "-final", "-", "-countdown"});
  CHECK(split("Contiguous") == Pieces{"the", "-", "final", "--", "countdown"});
  CHECK(split("Removed", true) == Pieces{"-", "-", "-"});
  CHECK(words(R"({"type": "Punctuation"})", "a,,b") == Pieces{"a", ",", ",", "b"});
  CHECK(words(R"({"type": "Punctuation", "behavior": "Contiguous"})", "a,,b") ==
        Pieces{"a", ",,", "b"});
}

TEST_CASE("regular expressions see Unicode and whole characters") {
  const auto split = [](const std::string& regex, std::string_view text) {
    return words(R"({"type": "Split", "pattern": {"Regex": ")" + regex +
                     R"("}, "behavior": "Removed", "invert": true})",
                 text);
  };
  CHECK(split(R"(\\p{Lu}\\p{Ll}*)", "\u00C9t\u00E9Na") == Pieces{"\u00C9t\u00E9", "Na"});
  CHECK(split(R"(\\w+)", "a\u0301b c_1\u00B2") == Pieces{"a\u0301b", "c_1"});
  CHECK(split(R"([\\w']+)", "don't stop") == Pieces{"don't", "stop"});
  CHECK(split(R"(\\S+)", "a\u180Eb\u00A0c") == Pieces{"a\u180Eb", "c"});  // no white space any more
  CHECK(split(R"((?i:x)+)", "axXb") == Pieces{"xX"});
  CHECK(split(R"([^\\s\\d]{,2}!)", "abc!") == Pieces{"bc!"});
  CHECK(split(R"(^b$)", "a\nb\nc") == Pieces{"b"});
  CHECK(split(R"(x*)", "axxb") == Pieces{"xx"});  // empty matches cut, but are no words
}

TEST_CASE("syntax that means something else in Oniguruma is refused") {
  const auto error = [](const std::string& regex) {
    Parts parts;
    parts.pre_tokenizer =
        R"({"type": "Split", "pattern": {"Regex": ")" + regex + R"("}, "behavior": "Removed"})";
    return parts.error();
  };
  const std::string place = "T: /pre_tokenizer/pattern/Regex: ";
  CHECK(error(R"(a\\h)") == place + "'\\h' in a regular expression is not implemented (at byte 1)");
  CHECK(error(R"([a-z&&[^b]])") ==
        place + "'&& within [ ]' in a regular expression is not implemented (at byte 4)");
  CHECK(error(R"((?m:.))") ==
        place + "'(?m' in a regular expression is not implemented (at byte 0)");
  CHECK(error(R"((a)") ==
        place + "invalid regular expression '(a': missing closing parenthesis (at byte 2)");
  CHECK(error(R"([\\W])") ==
        place + "'\\W within [ ]' in a regular expression is not implemented (at byte 1)");
}

TEST_CASE("a pattern that backtracks without end is stopped") {
  Parts parts;
  parts.pre_tokenizer =
      R"({"type": "Split", "pattern": {"Regex": "(a|aa)+$"}, "behavior": "Removed"})";
  const Tokenizer tokenizer = parts.open();
  const std::string text(60, 'a');
  CHECK(error_of([&] {
          tokenizer.encode(text + "b");
        }).starts_with("T: a regular expression of the tokenizer failed: "));
}

TEST_CASE("Metaspace marks words; the mark in front has no text of its own") {
  const auto pieces = [](const std::string& fields, std::string_view text) {
    Parts parts;
    parts.model = all_bytes_model();
    parts.pre_tokenizer = R"({"type": "Metaspace", "replacement": "_")" + fields + "}";
    parts.added_tokens = R"([{"id": 300, "content": "<s>", "special": true}])";
    std::string out;
    for (std::uint32_t id : parts.open().encode(text).ids) {
      out += id < 256 ? std::string(1, static_cast<char>(id)) : "<s>";
    }
    return out;
  };
  CHECK(pieces(R"(, "prepend_scheme": "always")", "a b<s>c") == "_a_b<s>_c");
  CHECK(pieces(R"(, "prepend_scheme": "first")", "a b<s>c") == "_a_b<s>c");
  CHECK(pieces(R"(, "prepend_scheme": "never")", "a b<s>c") == "a_b<s>c");
  CHECK(pieces(R"(, "add_prefix_space": true)", " a") == "_a");
  CHECK(pieces(R"(, "add_prefix_space": false)", "a") == "a");
  CHECK(words(R"({"type": "Metaspace", "replacement": "_"})", "Hey   friend!") ==
        Pieces{"Hey", " ", " ", " friend!"});
  CHECK(words(R"({"type": "Metaspace", "replacement": "_", "split": false})", "a b") ==
        Pieces{"a b"});
}

TEST_CASE("ByteLevel cuts by GPT-2's pattern") {
  CHECK(words(R"({"type": "ByteLevel", "add_prefix_space": false})",
              "Hello my friend, it's 42!   Bye\n") ==
        Pieces{"Hello", " my", " friend", ",", " it", "'s", " 42", "!", "  ", " Bye", "\n"});
  CHECK(words(R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false})", "a b") ==
        Pieces{"a b"});
}

}  // namespace
}  // namespace mha::test
