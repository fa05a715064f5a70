// Expectations are worked out by hand from the papers and the documentation of Hugging Face's
// tokenizers.
#include <cmath>
#include <thread>

#include "support/catch.hpp"
#include "text/small_tokenizers.hpp"

namespace mha::test {
namespace {

Tokenizer with_model(const std::string& model) {
  Parts parts;
  parts.model = model;
  return parts.open();
}

TEST_CASE("WordPiece takes the longest piece first, or the whole word is unknown") {
  const Tokenizer tokenizer = with_model(R"({"type": "WordPiece", "unk_token": "[UNK]",
    "continuing_subword_prefix": "##", "max_input_chars_per_word": 10,
    "vocab": {"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3, "##a": 4, "una": 5, "##ffable": 6,
              "\u00e9": 7}})");
  CHECK(tokenizer.encode("unaffable").tokens == Pieces{"una", "##ffable"});
  CHECK(quoted("unaffable", tokenizer.encode("unaffable")) == Pieces{"una", "ffable"});
  const TokenizedText unknown = tokenizer.encode("unaffx");
  CHECK(unknown.tokens == Pieces{"[UNK]"});
  CHECK(unknown.unknown == std::vector<std::size_t>{0});
  CHECK(unknown.offsets == Ranges{{0, 6}});
  CHECK(tokenizer.encode("unaaaaaaaa").tokens.size() == 8);  // ten characters, the most
  CHECK(tokenizer.encode("unaaaaaaaaa").tokens == Pieces{"[UNK]"});
  CHECK(tokenizer.encode("\u00E9\u00E9").tokens == Pieces{"[UNK]"});  // "##\u00E9" is no piece
  CHECK(tokenizer.encode("").ids.empty());
}

const std::string kMerging = R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4,
  "abc": 5, "aab": 6}, "merges": ["b c", "a b", "ab c", "a ab"])";

TEST_CASE("BPE merges by the rank of the merges, not from left to right") {
  const Tokenizer tokenizer = with_model(kMerging + "}");
  CHECK(tokenizer.encode("abc").tokens == Pieces{"a", "bc"});  // "b c" comes first
  CHECK(tokenizer.encode("ab").tokens == Pieces{"ab"});
  CHECK(tokenizer.encode("aab").tokens == Pieces{"aab"});
  CHECK(tokenizer.encode("abab").tokens == Pieces{"ab", "ab"});
  CHECK(tokenizer.encode("aabbc").tokens == Pieces{"aab", "bc"});
  CHECK(tokenizer.encode("aabbc").offsets == Ranges{{0, 3}, {3, 5}});
}

TEST_CASE("BPE without an unknown token drops what it has no piece for, and says so") {
  const TokenizedText tokens = with_model(kMerging + "}").encode("axxb");
  CHECK(tokens.tokens == Pieces{"a", "b"});
  CHECK(tokens.offsets == Ranges{{0, 1}, {3, 4}});
  CHECK(tokens.dropped == Ranges{{1, 3}});
}

TEST_CASE("unknown characters of BPE: one token each, or one together") {
  const std::string model = R"({"type": "BPE", "unk_token": "?", "vocab": {"?": 0, "a": 1},
    "merges": [], "fuse_unk": )";
  CHECK(with_model(model + "false}").encode("axya").tokens == Pieces{"a", "?", "?", "a"});
  const TokenizedText fused = with_model(model + "true}").encode("axya");
  CHECK(fused.tokens == Pieces{"a", "?", "a"});
  CHECK(fused.offsets == Ranges{{0, 1}, {1, 3}, {3, 4}});
  CHECK(fused.unknown == std::vector<std::size_t>{1});
}

TEST_CASE("BPE with marks for parts of words and ends of words") {
  const Tokenizer suffix = with_model(R"({"type": "BPE", "end_of_word_suffix": "</w>",
    "vocab": {"l": 0, "o": 1, "w</w>": 2, "lo": 3, "low</w>": 4}, "merges": ["l o", "lo w</w>"]})");
  CHECK(suffix.encode("low").tokens == Pieces{"low</w>"});
  const Tokenizer prefix = with_model(R"({"type": "BPE", "continuing_subword_prefix": "##",
    "vocab": {"l": 0, "##o": 1, "##w": 2, "##ow": 3, "low": 4},
    "merges": ["##o ##w", "l ##ow"]})");
  CHECK(prefix.encode("low").tokens == Pieces{"low"});
}

TEST_CASE("ignore_merges keeps a word that is a piece") {
  const std::string model = R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [])";
  CHECK(with_model(model + "}").encode("ab").tokens == Pieces{"a", "b"});
  CHECK(with_model(model + R"(, "ignore_merges": true})").encode("ab").tokens == Pieces{"ab"});
}

TEST_CASE("merges may be lists of two pieces, which then may have spaces") {
  const Tokenizer tokenizer =
      with_model(R"({"type": "BPE", "merges": [[" ", "a"]], "vocab": {" ": 0, "a": 1, " a": 2}})");
  CHECK(tokenizer.encode("a a").tokens == Pieces{"a", " a"});
}

TEST_CASE("a long word costs about n log n") {
  std::string model = R"({"type": "BPE", "merges": ["x x", "xx xx"], "vocab": {"x": 0, "xx": 1,
    "xxxx": 2}})";
  const std::string word(200000, 'x');  // quadratic merging would take minutes
  CHECK(with_model(model).encode(word).ids == Ids(50000, 2));
}

TEST_CASE("Unigram takes the cut with the largest sum of scores") {
  const std::string model = R"({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0],
    ["a", -1], ["b", -1.5], ["ab", -2], ["abc", -6], ["c", -3], ["bc", -2.5]]})";
  const Tokenizer tokenizer = with_model(model);
  CHECK(tokenizer.encode("ab").tokens == Pieces{"ab"});        // -2 against -2.5
  CHECK(tokenizer.encode("abc").tokens == Pieces{"a", "bc"});  // -3.5; "ab" "c" has -5
  const TokenizedText unknown = tokenizer.encode("axyb");
  CHECK(unknown.tokens == Pieces{"a", "<unk>", "b"});
  CHECK(unknown.offsets == Ranges{{0, 1}, {1, 3}, {3, 4}});
  CHECK(unknown.unknown == std::vector<std::size_t>{1});
  CHECK(tokenizer.id("bc") == 6);
  CHECK(tokenizer.kind() == "Unigram");
}

TEST_CASE("Unigram falls back to bytes when all of them are pieces") {
  const std::string model = R"({"type": "Unigram", "unk_id": 0, "byte_fallback": true,
    "vocab": [["<unk>", 0], ["a", -1], ["<0xC3>", -9], ["<0xA9>", -9]]})";
  const TokenizedText tokens = with_model(model).encode("a\u00E9");
  CHECK(tokens.tokens == Pieces{"a", "<0xC3>", "<0xA9>"});
  CHECK(tokens.offsets == Ranges{{0, 1}, {1, 3}, {1, 3}});
  CHECK(with_model(model).encode("\u00E8").tokens == Pieces{"<unk>"});
}

TEST_CASE("BPE falls back to bytes") {
  const Tokenizer tokenizer = with_model(all_bytes_model());
  CHECK(tokenizer.encode("\u732B").tokens == Pieces{"<0xE7>", "<0x8C>", "<0xAB>"});
  CHECK(tokenizer.encode("\u732B").offsets == Ranges{{0, 3}, {0, 3}, {0, 3}});
}

TEST_CASE("a vocabulary with gaps and in any order") {
  const Tokenizer tokenizer = with_model(R"({"type": "WordLevel", "unk_token": "u",
    "vocab": {"b": 4294967294, "u": 7, "a": 3}})");
  CHECK(tokenizer.encode("b").ids == Ids{4294967294});
  CHECK(tokenizer.token(3) == "a");
  CHECK(tokenizer.token(4) == std::nullopt);
  CHECK(tokenizer.vocab_size() == 3);
  CHECK(tokenizer.largest_id() == 4294967294);
}

TEST_CASE("one tokenizer serves several threads") {
  const Tokenizer tokenizer = with_model(kMerging + "}");
  std::vector<Ids> results(4);
  std::vector<std::thread> threads;
  for (Ids& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) result = tokenizer.encode("aabbcabc").ids;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Ids& result : results) CHECK(result == tokenizer.encode("aabbcabc").ids);
}

}  // namespace
}  // namespace mha::test
