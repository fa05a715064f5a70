// Added tokens, templates, the older files, and what is refused.
#include "support/catch.hpp"
#include "text/small_tokenizers.hpp"

namespace mha::test {
namespace {

using Marks = std::vector<std::uint8_t>;

const std::string kWords = R"({"type": "WordLevel", "unk_token": "[UNK]",
  "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "b": 4, "[MASK]": 5}})";
const std::string kTemplate = R"({"type": "TemplateProcessing",
  "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
             {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
  "pair": [{"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": {"id": "[SEP]", "type_id": 2}},
           {"Sequence": {"id": "A", "type_id": 0}}],
  "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]},
                     "[SEP]": {"id": "[SEP]", "ids": [2], "tokens": ["[SEP]"]}}})";

Parts word_parts() {
  Parts parts;
  parts.model = kWords;
  parts.pre_tokenizer = R"({"type": "WhitespaceSplit"})";
  return parts;
}

std::string added(const std::string& fields) {
  return R"([{"id": 9, "content": "xy", )" + fields + "}]";
}

TEST_CASE("the template puts special tokens around one text or two, once") {
  Parts parts = word_parts();
  parts.post_processor = kTemplate;
  const Tokenizer tokenizer = parts.open();
  const TokenizedText one = tokenizer.encode("a b");
  CHECK(one.ids == Ids{1, 3, 4, 2});
  CHECK(one.offsets == Ranges{{0, 0}, {0, 1}, {2, 3}, {0, 0}});
  CHECK(one.is_special == Marks{1, 0, 0, 1});
  const TokenizedText two = tokenizer.encode_pair("a", "x b");
  CHECK(two.ids == Ids{0, 4, 2, 3});
  CHECK(two.sequences == Marks{1, 1, 2, 0});
  CHECK(two.offsets == Ranges{{0, 1}, {2, 3}, {0, 0}, {0, 1}});  // each into its own text
  CHECK(two.unknown == std::vector<std::size_t>{0});
  CHECK(tokenizer.encode("a b", {SpecialTokens::kNo, {}}).ids == Ids{3, 4});
  CHECK(tokenizer.encode_pair("a", "b", {SpecialTokens::kNo, {}}).sequences == Marks{1, 0});
  CHECK(tokenizer.encode("a", {SpecialTokens::kYes, 1}).ids == Ids{1, 3, 2});  // not twice
}

TEST_CASE("a first token can be asked for where the template has none") {
  const Tokenizer tokenizer = word_parts().open();
  CHECK(tokenizer.encode("a", {SpecialTokens::kYes, 1}).ids == Ids{1, 3});
  CHECK(tokenizer.encode("a", {SpecialTokens::kAuto, 1}).ids == Ids{3});
  CHECK(tokenizer.encode_pair("a", "b").sequences == Marks{0, 1});
  CHECK(error_of([&] {
          tokenizer.encode("a", {SpecialTokens::kYes, 77});
        }) == "T: no token has the id 77 that should come first");
}

TEST_CASE("BERT's and RoBERTa's templates") {
  Parts parts = word_parts();
  parts.post_processor = R"({"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]})";
  CHECK(parts.open().encode_pair("a", "b").ids == Ids{1, 3, 2, 4, 2});
  CHECK(parts.open().encode_pair("a", "b").sequences == Marks{0, 0, 0, 1, 1});
  parts.post_processor = R"({"type": "RobertaProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1],
    "trim_offsets": true, "add_prefix_space": true})";
  CHECK(parts.open().encode("a").ids == Ids{1, 3, 2});
  CHECK(parts.open().encode_pair("a", "b").ids == Ids{1, 3, 2, 2, 4, 2});
  CHECK(parts.open().encode_pair("a", "b").sequences == Marks(6, 0));
}

TEST_CASE("offsets without the spaces of byte-level pieces") {
  Parts parts;
  parts.model = R"({"type": "BPE", "vocab": {"\u0120": 0, "a": 1, "\u0120a": 2, "\u0120\u0120": 3},
    "merges": ["\u0120 a", "\u0120 \u0120"]})";
  parts.pre_tokenizer = R"({"type": "ByteLevel", "add_prefix_space": true})";
  parts.post_processor = R"({"type": "ByteLevel", "trim_offsets": true, "add_prefix_space": true})";
  const TokenizedText tokens = parts.open().encode("a a   a");
  CHECK(tokens.tokens == Pieces{"\u0120a", "\u0120a", "\u0120\u0120", "\u0120a"});
  CHECK(tokens.offsets == Ranges{{0, 1}, {2, 3}, {5, 5}, {6, 7}});
  parts.post_processor = R"({"type": "ByteLevel", "trim_offsets": false})";
  CHECK(parts.open().encode("a a").offsets == Ranges{{0, 1}, {1, 3}});
}

TEST_CASE("added tokens: the longest of the leftmost, before anything else") {
  Parts parts = word_parts();
  parts.added_tokens = R"([{"id": 9, "content": "xy", "normalized": false},
                           {"id": 10, "content": "xyz a", "normalized": false},
                           {"id": 5, "content": "[MASK]", "special": true}])";
  const Tokenizer tokenizer = parts.open();
  CHECK(tokenizer.encode("axyzb xyz ab[MASK]").ids == Ids{3, 9, 0, 10, 4, 5});
  CHECK(tokenizer.encode("[MASK]").is_special == Marks{1});
  CHECK(tokenizer.encode("xy").is_special == Marks{0});
  CHECK(tokenizer.vocab_size() == 8);
  CHECK(tokenizer.token(10) == "xyz a");
  CHECK(tokenizer.id("xy") == 9);
}

TEST_CASE("added tokens take white space beside them, or need it") {
  Parts parts = word_parts();
  parts.added_tokens = added(R"("lstrip": true, "normalized": false)");
  CHECK(quoted("a  xy b", parts.open().encode("a  xy b")) == Pieces{"a", "  xy", "b"});
  parts.added_tokens = added(R"("rstrip": true, "normalized": false)");
  CHECK(quoted("a xy \tb", parts.open().encode("a xy \tb")) == Pieces{"a", "xy \t", "b"});
  parts.added_tokens = added(R"("single_word": true, "normalized": false)");
  CHECK(parts.open().encode("axy xyb xy").ids == Ids{0, 0, 9});
  CHECK(parts.open().encode("xy,xy").ids == Ids{9, 0, 9});
}

TEST_CASE("added tokens are searched before or after normalisation") {
  Parts parts = word_parts();
  parts.normalizer = R"({"type": "Lowercase"})";
  parts.added_tokens = R"([{"id": 9, "content": "XY", "normalized": true}])";
  CHECK(parts.open().encode("XY xy").ids == Ids{9, 9});
  parts.added_tokens = R"([{"id": 9, "content": "XY", "normalized": false}])";
  CHECK(parts.open().encode("XY xy").ids == Ids{9, 0});
}

TEST_CASE("vocab.txt with BERT's rules") {
  const std::string vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\n##s\n\u00E9\r\nThe\n";
  const Tokenizer lower = Tokenizer::from_wordpiece_vocab(vocab, {}, "V");
  CHECK(lower.encode("The cats [MASK] dog").tokens ==
        Pieces{"[CLS]", "the", "cat", "##s", "[MASK]", "[UNK]", "[SEP]"});
  CHECK(lower.encode_pair("the", "cat").ids == Ids{2, 5, 3, 6, 3});
  WordPieceOptions options;
  options.lowercase = false;
  const Tokenizer cased = Tokenizer::from_wordpiece_vocab(vocab, options, "V");
  CHECK(cased.encode("The \u00E9").tokens == Pieces{"[CLS]", "The", "\u00E9", "[SEP]"});
  CHECK(cased.kind() == "WordPiece");
  const auto error = [](const std::string& text) {
    return error_of([&] { Tokenizer::from_wordpiece_vocab(text, {}, "V"); });
  };
  CHECK(error("[UNK]\n[CLS]\n") == "V: the vocabulary does not have the special token '[SEP]'");
  CHECK(error("a\nb\na\n") == "V: 3: the piece 'a' is given twice");
  CHECK(error("a\n\xFF\n") == "V: 2: not UTF-8\nhint: save the file as UTF-8");
}

TEST_CASE("vocab.json and merges.txt") {
  const std::string vocab = R"({"<s>": 0, "</s>": 1, "<mask>": 2, "a": 3, "b": 4, "\u0120": 5,
    "\u0120a": 6})";
  const std::string merges = "#version: 0.2\n\u0120 a\n";
  BpeOptions options;
  options.bos = "<s>";
  options.eos = "</s>";
  options.mask = "<mask>";
  const Tokenizer plain = Tokenizer::from_bpe_files(vocab, merges, options, "D");
  CHECK(plain.encode("a a <mask>").tokens == Pieces{"a", "\u0120a", "\u0120", "<mask>"});
  CHECK(plain.kind() == "BPE (byte level)");
  options.add_bos = true;
  CHECK(Tokenizer::from_bpe_files(vocab, merges, options, "D").encode("a").ids == Ids{0, 3});
  options.roberta = true;
  options.add_prefix_space = true;
  const Tokenizer roberta = Tokenizer::from_bpe_files(vocab, merges, options, "D");
  CHECK(roberta.encode("a <mask>").tokens == Pieces{"<s>", "\u0120a", "<mask>", "</s>"});
  CHECK(roberta.encode_pair("a", "a").ids == Ids{0, 6, 1, 1, 6, 1});
  const auto error = [&](const std::string& v, const std::string& m) {
    return error_of([&] { Tokenizer::from_bpe_files(v, m, options, "D"); });
  };
  CHECK(error("[1]", merges) == "D/vocab.json: /: wrong type; expected an object, got an array");
  CHECK(error(R"({"a": 0})", merges) ==
        "D/vocab.json: the vocabulary does not have the special token '<s>'");
  CHECK(error(vocab, "x y z\n") ==
        "D/merges.txt: 1: wrong merge; expected two pieces with a space between them, got 'x y z'");
  CHECK(error(vocab, "\u0120 b\n") ==
        "D/merges.txt: merge 0 (counted from 0) names the piece '\u0120b', which the vocabulary "
        "does not have");
}

TEST_CASE("ranges in code points") {
  CHECK(code_point_ranges("a\u00E9\U0001F642b", {{0, 1}, {1, 3}, {3, 7}, {7, 8}, {2, 8}, {0, 0}}) ==
        Ranges{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 4}, {0, 0}});
}

TEST_CASE("text that is not UTF-8, and words that nothing stands for, are errors") {
  const Tokenizer tokenizer = word_parts().open();
  CHECK(error_of([&] { tokenizer.encode("ab\xFF"); }) ==
        "T: the text is not UTF-8 at byte 2\nhint: save it as UTF-8");
  Parts parts;
  parts.model = R"({"type": "WordLevel", "vocab": {"a": 0}})";
  CHECK(error_of([&] { parts.open().encode("x"); }) ==
        "T: the vocabulary has neither 'x' nor an unknown token");
}

}  // namespace
}  // namespace mha::test
