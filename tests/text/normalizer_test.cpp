// Expectations come from the Unicode Standard and the documentation of Hugging Face's tokenizers.
#include "support/catch.hpp"
#include "text/small_tokenizers.hpp"

namespace mha::test {
namespace {

std::string text_of(const std::string& normalizer, std::string_view text) {
  return normalized(normalizer, text).text;
}

TEST_CASE("normal forms of Unicode, with the characters they come from") {
  const std::string composed = "caf\u00E9";
  const std::string decomposed = "cafe\u0301";
  CHECK(text_of(R"({"type": "NFD"})", composed) == decomposed);
  CHECK(text_of(R"({"type": "NFC"})", decomposed) == composed);
  CHECK(text_of(R"({"type": "NFKC"})", "\uFB01\u00B2") == "fi2");
  CHECK(text_of(R"({"type": "NFKD"})", "\u1E9B\u0323") == "s\u0323\u0307");  // UAX 15, figure 6
  CHECK(text_of(R"({"type": "NFD"})", "\u1E9B\u0323") == "\u017F\u0323\u0307");
  CHECK(text_of(R"({"type": "NFC"})", "\u1E9B\u0323") == "\u1E9B\u0323");
  CHECK(text_of(R"({"type": "NFKC"})", "\u1E9B\u0323") == "\u1E69");
  CHECK(text_of(R"({"type": "NFD"})", "\uD55C") == "\u1112\u1161\u11AB");  // Hangul
  CHECK(text_of(R"({"type": "NFC"})", "\u1112\u1161\u11AB") == "\uD55C");
  CHECK(text_of(R"({"type": "NFC"})", "\u0958") == "\u0915\u093C");  // excluded from composition
  CHECK(text_of(R"({"type": "NFC"})", "a\u0301\u0301") == "\u00E1\u0301");
  CHECK(text_of(R"({"type": "NFC"})", "\u212B") == "\u00C5");
  CHECK(normalized(R"({"type": "NFD"})", composed).sources ==
        Pieces{"c", "a", "f", "\u00E9", "\u00E9"});
  CHECK(normalized(R"({"type": "NFKC"})", "\uFB01x").sources == Pieces{"\uFB01", "\uFB01", "x"});
}

TEST_CASE("lower case, accents and white space") {
  CHECK(text_of(R"({"type": "Lowercase"})", "\u00C9T\u00C9 \u0401") == "\u00E9t\u00E9 \u0451");
  CHECK(text_of(R"({"type": "Lowercase"})", "\u0130") == "i\u0307");
  CHECK(text_of(R"({"type": "StripAccents"})", "e\u0301\u0304o") == "eo");
  CHECK(text_of(R"({"type": "StripAccents"})", "\u00E9") == "\u00E9");  // only after NFD
  CHECK(text_of(R"({"type": "Strip", "strip_left": true, "strip_right": false})", " \ta b\n") ==
        "a b\n");
  CHECK(text_of(R"({"type": "Strip", "strip_left": false, "strip_right": true})", " a\u3000") ==
        " a");
  CHECK(text_of(R"({"type": "Strip", "strip_left": true, "strip_right": true})", " \n ").empty());
}

TEST_CASE("BERT's cleaning: controls go, white space is a space, ideographs stand apart") {
  const std::string bert = R"({"type": "BertNormalizer", "clean_text": true,
    "handle_chinese_chars": true, "strip_accents": null, "lowercase": true})";
  CHECK(text_of(bert, "A\tB\u00A0C\u0007D\uFFFD\u200BE") == "a b cde");
  CHECK(text_of(bert, "x\u4E2Dy") == "x \u4E2D y");
  CHECK(text_of(bert, "\u00C9t\u00E9") == "ete");
  const std::string keep = R"({"type": "BertNormalizer", "clean_text": false,
    "handle_chinese_chars": false, "strip_accents": false, "lowercase": false})";
  CHECK(text_of(keep, "\u00C9\t\u4E2D") == "\u00C9\t\u4E2D");
}

TEST_CASE("a replacement stands for the end of its match, a prefix for the first character") {
  const Normalized replaced =
      normalized(R"({"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"})", "a b");
  CHECK(replaced.text == "a\u2581b");
  CHECK(replaced.sources == Pieces{"a", " ", "b"});
  CHECK(text_of(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})",
                "a   b c") == "a b c");
  const Normalized prefixed = normalized(R"({"type": "Prepend", "prepend": "\u2581"})", "ab");
  CHECK(prefixed.text == "\u2581ab");
  CHECK(prefixed.sources == Pieces{"a", "a", "b"});
  CHECK(text_of(R"({"type": "Prepend", "prepend": "\u2581"})", "").empty());
}

TEST_CASE("Nmt drops controls and turns odd spaces into spaces") {
  CHECK(text_of(R"({"type": "Nmt"})", "a\u0001b\tc\u200Bd\uFEFF\u2581") == "ab c d  ");
}

TEST_CASE("a sequence applies its normalizers in turn") {
  CHECK(text_of(R"({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"},
                    {"type": "Lowercase"}]})",
                "\u00C9T\u00C9") == "ete");
}

TEST_CASE("bytes as characters") {
  CHECK(text_of(R"({"type": "ByteLevel"})", " \u00E9\n") == "\u0120\u00C3\u00A9\u010A");
}

// A map that turns "A" into "a" and "B" into "bb": made by hand after the layout of Darts-clone.
// The unit of a byte stands at (offset of its parent) xor (byte), and that of a key's end at the
// offset.
std::string small_character_map() {
  std::vector<std::uint32_t> units(512);
  const auto leaf = [&](std::uint32_t byte, std::uint32_t at_end, std::uint32_t replacement) {
    const std::uint32_t node = 256 ^ byte;
    units[node] = (node ^ at_end) << 10 | 1U << 8 | byte;
    units[at_end] = 0x80000000U | replacement;
  };
  units[0] = 256U << 10;
  leaf('A', 10, 0);
  leaf('B', 11, 2);
  std::string blob;
  const auto add = [&](std::uint32_t value) {
    for (int i = 0; i < 4; ++i) blob += static_cast<char>(value >> (8 * i) & 0xFF);
  };
  add(4 * 512);
  for (std::uint32_t unit : units) add(unit);
  blob += std::string("a\0bb\0", 5);
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < blob.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (i + k < blob.size() ? static_cast<unsigned char>(blob[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k > blob.size() ? '=' : alphabet[bits >> (18 - 6 * k) & 63];
    }
  }
  return text;
}

TEST_CASE("a compiled character map of SentencePiece") {
  const std::string config =
      R"({"type": "Precompiled", "precompiled_charsmap": ")" + small_character_map() + "\"}";
  const Normalized mapped = normalized(config, "xABc");
  CHECK(mapped.text == "xabbc");
  CHECK(mapped.sources == Pieces{"x", "A", "B", "B", "c"});
  CHECK(normalized(R"({"type": "Precompiled", "precompiled_charsmap": null})", "A").text == "A");
  Parts parts;
  parts.normalizer = R"({"type": "Precompiled", "precompiled_charsmap": "AAAA!"})";
  CHECK(parts.error() == "T: /normalizer/precompiled_charsmap: not base64");
  parts.normalizer = R"({"type": "Precompiled", "precompiled_charsmap": "/////w=="})";
  CHECK(parts.error() ==
        "T: /normalizer/precompiled_charsmap: damaged character map; expected a trie within the "
        "data, got 4294967295 of 4 bytes");
}

}  // namespace
}  // namespace mha::test
