// Damaged and hostile tokenizer.json files: one message each, with place, what, expected and got.
#include "support/catch.hpp"
#include "text/small_tokenizers.hpp"

namespace mha::test {
namespace {

std::string error_of_json(std::string_view json) {
  return error_of([&] { Tokenizer::from_tokenizer_json(json, "T"); });
}

std::string error_of_model(const std::string& model) {
  Parts parts;
  parts.model = model;
  return parts.error();
}

TEST_CASE("what is not JSON is told by line and column") {
  CHECK(error_of_json("") == "T: 1:1: not valid JSON: the text ends too early");
  CHECK(error_of_json("{\n \"a\" 1}") == "T: 2:6: not valid JSON");
  CHECK(error_of_json("[]") == "T: /: wrong type; expected an object, got an empty array");
  CHECK(error_of_json("{}") == "T: /model: missing");
  CHECK(error_of_json(std::string("{\0}", 3)) ==
        "T: not valid JSON: a zero byte at byte 1; expected UTF-8 text");
  CHECK(error_of_json("{\"x\xFF\": 1}").starts_with("T: 1:4: not valid JSON"));
}

TEST_CASE("deep nesting is stopped at once") {
  const std::string deep = "{\"normalizer\": " + std::string(10000000, '[');
  CHECK(error_of_json(deep) == "T: nested too deeply; expected at most 64 levels");
  const std::string in_skipped = "{\"decoder\": " + std::string(1000000, '[');
  CHECK(error_of_json(in_skipped).find("not valid JSON: the text ends too early") !=
        std::string::npos);
  std::string sequence = R"({"type": "Lowercase"})";
  for (int i = 0; i < 40; ++i) {
    sequence = R"({"type": "Sequence", "normalizers": [)" + sequence + "]}";
  }
  Parts parts;
  parts.normalizer = sequence;
  CHECK(parts.error() == "T: nested too deeply; expected at most 64 levels");
}

TEST_CASE("what is not implemented is refused by its name") {
  Parts parts;
  parts.normalizer = R"({"type": "Romanize"})";
  CHECK(parts.error().starts_with(
      "T: /normalizer: normalizer 'Romanize' is not implemented\nhint: "));
  parts = Parts();
  parts.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [{"type": "UnicodeScripts"}]})";
  CHECK(parts.error().starts_with(
      "T: /pre_tokenizer/pretokenizers/0: pre-tokenizer 'UnicodeScripts' is not implemented"));
  parts = Parts();
  parts.post_processor = R"({"type": "Other"})";
  CHECK(parts.error().starts_with("T: /post_processor: post-processor 'Other' is not implemented"));
  parts = Parts();
  parts.pre_tokenizer = R"({"type": "Digits", "individual_digit": true})";
  CHECK(
      parts.error() ==
      "T: /pre_tokenizer/individual_digit: field 'individual_digit' is not implemented\nhint: did "
      "you mean 'individual_digits'?");
  parts = Parts();
  parts.pre_tokenizer = R"({"type": "Split", "pattern": {"String": "a"}, "behavior": "Merged"})";
  CHECK(parts.error().starts_with(
      "T: /pre_tokenizer/behavior: behaviour 'Merged' is not implemented"));
  CHECK(error_of_model(R"({"type": "Chars", "vocab": {"a": 0}})")
            .starts_with("T: /model: model 'Chars' is not implemented"));
  CHECK(error_of_model(R"({"type": "BPE", "vocab": {"a": 0}, "merges": [], "dropout": 0.1})") ==
        "T: /model/dropout: dropout of merges is not implemented");
}

TEST_CASE("rules that make a text grow without end are stopped") {
  const std::string longer = "the tokenizer's rules make the text more than 64 times longer";
  const auto error = [](const Parts& parts, const std::string& text) {
    const Tokenizer tokenizer = parts.open();
    return error_of([&] { tokenizer.encode(text); });
  };
  std::string doubling = R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"})";
  std::string bytes = R"({"type": "ByteLevel", "add_prefix_space": false})";
  for (int i = 0; i < 5; ++i) {
    doubling += ", " + doubling;
    bytes += ", " + bytes;
  }
  Parts parts;
  parts.normalizer = R"({"type": "Sequence", "normalizers": [)" + doubling + "]}";
  CHECK(error(parts, "a") == "T: " + longer);
  parts = Parts();
  parts.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [)" + bytes + "]}";
  CHECK(error(parts, "\u00E9") == "T: " + longer);
  parts = Parts();
  parts.normalizer = R"({"type": "Replace", "pattern": {"String": "a"}, "content": ")" +
                     std::string(100000, 'b') + "\"}";
  CHECK(error(parts, std::string(1000000, 'a')) == "T: " + longer);
}

TEST_CASE("wrong types in components") {
  Parts parts;
  parts.normalizer = "[]";
  CHECK(parts.error() == "T: /normalizer: wrong type; expected an object, got an empty array");
  parts.normalizer = R"({"type": 3})";
  CHECK(parts.error() == "T: /normalizer/type: wrong type; expected a string, got the number 3");
  parts.normalizer = R"({"type": "Strip", "strip_left": 1, "strip_right": true})";
  CHECK(parts.error() ==
        "T: /normalizer/strip_left: wrong type; expected true or false, got the number 1");
  parts.normalizer = R"({"type": "Strip", "strip_left": true})";
  CHECK(parts.error() == "T: /normalizer/strip_right: missing");
  parts = Parts();
  parts.pre_tokenizer = R"({"type": "Metaspace", "replacement": "ab"})";
  CHECK(parts.error() ==
        "T: /pre_tokenizer/replacement: wrong text; expected one character, got 'ab'");
}

TEST_CASE("vocabularies that cannot be right") {
  const auto vocab = [](const std::string& text) {
    return error_of_model(R"({"type": "WordLevel", "unk_token": "a", "vocab": )" + text + "}");
  };
  CHECK(vocab("{}") == "T: the vocabulary is empty");
  CHECK(vocab(R"({"a": -1})") ==
        "T: /model/vocab/a: wrong id; expected a whole number from 0 to 4294967294, got the number "
        "-1");
  CHECK(vocab(R"({"a": 4294967295})").starts_with("T: /model/vocab/a: wrong id; expected"));
  CHECK(vocab(R"({"a": 1.5})").ends_with("got the number 1.5"));
  CHECK(vocab(R"({"a": 1e999})").starts_with("T: 1:"));
  CHECK(vocab(R"({"a": "0"})").ends_with("got a string"));
  CHECK(vocab(R"({"a": {"b": 1}})").ends_with("got an object"));
  CHECK(vocab(R"({"a": 0, "a": 1})") == "T: /model/vocab/a: the piece is given twice");
  CHECK(vocab(R"({"a": 1, "b": 0, "c": 1})") == "T: the pieces 'a' and 'c' have the same id 1");
  CHECK(vocab("[1]") ==
        "T: /model/vocab/0: wrong entry; expected [piece, score], got the number 1");
  CHECK(vocab("3").starts_with("T: /model/vocab: wrong vocabulary; expected an object"));
  CHECK(
      vocab(R"([["a", 0]])").starts_with("T: /model/vocab: wrong vocabulary; expected an object"));
  CHECK(error_of_model(R"({"type": "Unigram", "vocab": {"a": 0}})")
            .starts_with("T: /model/vocab: wrong vocabulary; expected an array"));
  CHECK(error_of_model(R"({"type": "Unigram", "vocab": [["a", 0], ["b"]]})") ==
        "T: /model/vocab/1: wrong entry; expected a piece and its score, got an empty array");
  CHECK(error_of_model(R"({"type": "Unigram", "unk_id": 1, "vocab": [["a", 0]]})") ==
        "T: /model/unk_id: no such piece; expected below 1, got 1");
  CHECK(error_of_model(R"({"type": "Unigram", "vocab": []})") == "T: the vocabulary is empty");
}

TEST_CASE("merges that cannot be right") {
  const auto merges = [](const std::string& text) {
    return error_of_model(R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": )" +
                          text + "}");
  };
  CHECK(merges(R"(["a b"])") == "no error");
  CHECK(merges(R"(["a c"])") ==
        "T: merge 0 (counted from 0) names the piece 'c', which the vocabulary does not have");
  CHECK(merges(R"(["a b", "b a"])") ==
        "T: merge 1 (counted from 0) names the piece 'ba', which the vocabulary does not have");
  CHECK(merges(R"(["ab"])") ==
        "T: /model/merges/0: wrong merge; expected two pieces with a space between them, got 'ab'");
  CHECK(merges(R"([["a"]])") ==
        "T: /model/merges/0: wrong entry; expected two pieces, got an empty array");
  CHECK(merges(R"([["a", "b", "c"]])").starts_with("T: /model/merges/0: wrong entry"));
  CHECK(merges(R"([3])") ==
        "T: /model/merges/0: wrong entry; expected two pieces, got the number 3");
  CHECK(merges("3").starts_with("T: /model/merges: missing"));
  CHECK(error_of_model(R"({"type": "BPE", "vocab": {"a": 0}})") == "T: /model/merges: missing");
}

TEST_CASE("added tokens and templates that contradict the vocabulary") {
  Parts parts;
  const auto added = [&](const std::string& text) {
    parts.added_tokens = text;
    return parts.error();
  };
  CHECK(added("3") == "T: /added_tokens: wrong type; expected an array, got the number 3");
  CHECK(added(R"([{"id": 1}])") == "T: /added_tokens/0/content: missing");
  CHECK(added(R"([{"id": -1, "content": "x"}])")
            .starts_with("T: /added_tokens/0/id: wrong number; expected"));
  CHECK(added(R"([{"id": 5, "content": "[UNK]"}])") ==
        "T: /added_tokens: the token '[UNK]' has another id in the vocabulary; expected 0, got 5");
  CHECK(added(R"([{"id": 0, "content": "x"}])") ==
        "T: /added_tokens: the token 'x' has id 0, which belongs to '[UNK]'");
  CHECK(added(R"([{"id": 1, "content": "x"}, {"id": 1, "content": "y"}])") ==
        "T: /added_tokens: id 1 is given twice");
  CHECK(added(R"([{"id": 1, "content": "x"}, {"id": 2, "content": "x"}])") ==
        "T: /added_tokens: the token 'x' is given twice");
  parts = Parts();
  parts.post_processor = R"({"type": "BertProcessing", "sep": ["x", 7], "cls": ["[UNK]", 0]})";
  CHECK(parts.error() == "T: /post_processor: no token has the id 7 of the template");
  parts.post_processor = R"({"type": "TemplateProcessing", "single": [], "pair": []})";
  CHECK(parts.error() == "T: /post_processor/single: expected the text A once, and no text B");
  parts.post_processor = R"({"type": "TemplateProcessing", "pair": [],
    "single": [{"SpecialToken": {"id": "x", "type_id": 0}}]})";
  CHECK(parts.error() ==
        "T: /post_processor/single/0/SpecialToken/id: 'x' is not in special_tokens");
}

}  // namespace
}  // namespace mha::test
