#include "mha/source/treebank.hpp"

#include <algorithm>

#include "mha/io/file.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/shared_data.hpp"

namespace mha {
namespace {

using Tokens = std::vector<std::string>;
using Places = std::vector<std::size_t>;

constexpr std::size_t kNone = WordAlignment::kNoWord;

// A sentence of these words whose first one is the root of all.
ConlluSentence sentence_of(const Tokens& forms, std::vector<ConlluSpan> spans = {}) {
  ConlluSentence out;
  out.id = "owls-1";
  out.line = 12;
  for (const std::string& form : forms) {
    out.words.push_back({form, "X", out.words.empty() ? "root" : "dep",
                         out.words.empty() ? std::size_t{0} : std::size_t{1}, true});
  }
  out.spans = std::move(spans);
  return out;
}

Places aligned(const ConlluSentence& sentence, const Tokens& tokens) {
  const WordAlignment alignment = align_words(sentence, tokens);
  CHECK(alignment.n_words == sentence.words.size());
  return alignment.word_of_token;
}

std::string error_with(const ConlluSentence& sentence, const Tokens& tokens) {
  return test::error_of([&] { align_words(sentence, tokens); });
}

TEST_CASE("pieces belong to their words in every way of writing tokens") {
  const ConlluSentence owls = sentence_of({"The", "owls", "are", "snoozing", "."});
  CHECK(aligned(owls, {"The", "owls", "are", "snoozing", "."}) == Places{0, 1, 2, 3, 4});
  CHECK(aligned(owls, {"[CLS]", "The", "owl", "##s", "are", "snooz", "##ing", ".", "[SEP]",
                       "[PAD]"}) == Places{kNone, 0, 1, 1, 2, 3, 3, 4, kNone, kNone});
  CHECK(aligned(owls, {"<s>", "The", "Ġow", "ls", "Ġare", "Ġsno", "ozing", ".", "</s>"}) ==
        Places{kNone, 0, 1, 1, 2, 3, 3, 4, kNone});
  CHECK(aligned(owls, {"▁The", "▁o", "wl", "s", "▁", "are", "▁snoozing", "."}) ==
        Places{0, 1, 1, 1, 2, 2, 3, 4});
  CHECK(aligned(owls, {"The", " owls", " are", " snoozing", ".", "<|endoftext|>"}) ==
        Places{0, 1, 2, 3, 4, kNone});
}

TEST_CASE("case is ignored when no token has a capital") {
  const ConlluSentence owls = sentence_of({"The", "Owls"});
  CHECK(aligned(owls, {"[CLS]", "the", "owl", "##s"}) == Places{kNone, 0, 1, 1});
  CHECK(error_with(owls, {"the", "Owls"}) ==
        "sentence owls-1 (line 12): word 1 'The' is not what the tokens say; expected 'The', got "
        "'the'");
}

TEST_CASE("a token over several words belongs to the first of them") {
  const ConlluSentence words = sentence_of({"sleep", ".", "\"", "he", "said"});
  CHECK(aligned(words, {"sleep", ".\"", "he", "sa", "id"}) == Places{0, 1, 3, 4, 4});
  CHECK(aligned(words, {"sl", "eep.\"he", "said"}) == Places{0, 0, 4});
}

TEST_CASE("multiword tokens may be written as their words, their surface, or pieces of it") {
  const ConlluSentence same = sentence_of({"Do", "n't", "go"}, {{1, 2, "Don't", true}});
  CHECK(aligned(same, {"Don't", "go"}) == Places{0, 2});
  CHECK(aligned(same, {"Do", "n't", "go"}) == Places{0, 1, 2});
  CHECK(aligned(same, {"D", "on", "'", "t", "go"}) == Places{0, 0, 1, 1, 2});
  const ConlluSentence other = sentence_of({"voir", "de", "le", "bois", "à", "les", "hiboux"},
                                           {{2, 3, "du", true}, {5, 6, "aux", true}});
  CHECK(aligned(other, {"voir", "du", "bois", "aux", "hiboux"}) == Places{0, 1, 3, 4, 6});
  CHECK(aligned(other, {"voir", "d", "u", "bois", "au", "x", "hib", "oux"}) ==
        Places{0, 1, 1, 3, 4, 4, 6, 6});
  CHECK(aligned(other, {"voir", "de", "le", "bois", "aux", "hiboux"}) == Places{0, 1, 2, 3, 4, 6});
}

TEST_CASE("of two readings of a multiword token the one is taken that lets the rest agree") {
  const ConlluSentence words = sentence_of({"a", "b", "bc"}, {{1, 2, "a", true}});
  CHECK(aligned(words, {"a", "bc"}) == Places{0, 2});
  CHECK(aligned(words, {"a", "b", "bc"}) == Places{0, 1, 2});
  CHECK(aligned(words, {"a", "b", "c"}) == Places{0, 2, 2});
}

TEST_CASE("spaces count on neither side") {
  const ConlluSentence words = sentence_of({"10 000", "owls", "20\u00A0000"});
  CHECK(aligned(words, {"▁10", "▁", "000", "▁owls", "▁20", "▁000"}) == Places{0, 0, 0, 1, 2, 2});
  CHECK(aligned(words, {"10", "000", "owls", "20000", "\n"}) == Places{0, 0, 1, 2, kNone});
  // A no-break space whose two bytes lie in two tokens.
  CHECK(aligned(words, {"10", "Ġ000", "Ġowls", "Ġ20", "Â", "ł", "000"}) ==
        Places{0, 0, 1, 2, 2, 2, 2});
}

TEST_CASE("tokens of bytes stand for text") {
  const ConlluSentence words = sentence_of({"Owl’s", "été", "猫"});
  CHECK(aligned(words, {"Owl", "âĢ", "Ļ", "s", "ĠÃ©t", "Ã©", "ĠçĮ", "«"}) ==
        Places{0, 0, 0, 0, 1, 1, 2, 2});
  CHECK(aligned(words, {"▁Owl", "’", "s", "▁été", "▁", "<0xE7>", "<0x8C>", "<0xAB>"}) ==
        Places{0, 0, 0, 1, 2, 2, 2, 2});
}

TEST_CASE("what looks like a mark is text where the sentence has it") {
  const Tokens forms = {"<s>", "##x", "Ġorġ", "[CLS]", "▁"};
  CHECK(aligned(sentence_of(forms), forms) == Places{0, 1, 2, 3, 4});
}

TEST_CASE("a mismatch names the sentence, the word and both texts") {
  ConlluSentence owls = sentence_of({"the", "big", "dog", "barks"});
  const std::string start = "sentence owls-1 (line 12): word 3 'dog' is not what the tokens say; ";
  CHECK(error_with(owls, {"[CLS]", "the", "big", "cat", "barks"}) ==
        start + "expected 'dog', got 'cat'");
  CHECK(error_with(owls, {"Ġthe", "Ġbig", "Ġelephant"}) ==
        start + "expected 'dog', got 'elephant'");
  CHECK(error_with(owls, {"the", "big", "c", "at", "barks"}) ==
        start + "expected 'dog', got 'cat'");
  CHECK(error_with(owls, {"the", "big"}) == start + "expected 'dog', got the end of the tokens");
  CHECK(error_with(owls, {"the", "big", "dog", "barks", "loud", "ly"}) ==
        "sentence owls-1 (line 12): the tokens go on after the last word 'barks'; expected the "
        "end, got 'loud'");
  owls.id.clear();
  CHECK(error_with(owls, {}) ==
        "the sentence at line 12: word 1 'the' is not what the tokens say; expected 'the', got the "
        "end of the tokens");
}

TEST_CASE("a mismatch within a multiword token names the word, or both texts at its start") {
  const ConlluSentence words = sentence_of({"vu", "de", "le", "toit"}, {{2, 3, "du", true}});
  CHECK(error_with(words, {"vu", "un", "toit"}) ==
        "sentence owls-1 (line 12): word 2 'de' is not what the tokens say; expected 'de' or 'du', "
        "got 'un'");
  CHECK(error_with(words, {"vu", "de", "la", "toit"}) ==
        "sentence owls-1 (line 12): word 3 'le' is not what the tokens say; expected 'le', got "
        "'la'");
  CHECK(error_with(sentence_of({"猫"}), {"çĮ", "ª"}) ==
        "sentence owls-1 (line 12): word 1 '猫' is not what the tokens say; expected '猫', got "
        "'çĮ'");
}

TEST_CASE("relations are pairs of a word and its head by full name") {
  ConlluSentence owls = sentence_of({"owls", "were", "seen", "by", "owls"});
  const std::vector<std::pair<const char*, std::size_t>> heads = {
      {"nsubj:pass", 3}, {"aux:pass", 3}, {"root", 0}, {"case", 5}, {"nsubj:pass", 3}};
  for (std::size_t w = 0; w < heads.size(); ++w) {
    owls.words[w].deprel = heads[w].first;
    owls.words[w].head = heads[w].second;
  }
  const std::vector<Relation> relations = word_relations(owls);
  REQUIRE(relations.size() == 3);
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  CHECK(relations[0].name == "nsubj:pass");
  CHECK(relations[0].pairs == Pairs{{0, 2}, {4, 2}});
  CHECK(relations[1].name == "aux:pass");
  CHECK(relations[1].pairs == Pairs{{1, 2}});
  CHECK(relations[2].name == "case");
  CHECK(relations[2].pairs == Pairs{{3, 4}});
  CHECK(word_forms(owls) == Tokens{"owls", "were", "seen", "by", "owls"});
}

using Ranges = std::vector<std::optional<ByteRange>>;

Places aligned(const ConlluSentence& sentence, const std::string& text, const Ranges& ranges) {
  const WordAlignment alignment = align_words(sentence, text, ranges);
  CHECK(alignment.n_words == sentence.words.size());
  return alignment.word_of_token;
}

TEST_CASE("the text of a sentence is its comment, or its words with the spaces between them") {
  ConlluSentence words =
      sentence_of({"On", "parle", "de", "le", "bois", "."}, {{3, 4, "du", true}});
  words.words[4].space_after = false;
  CHECK(sentence_text(words) == "On parle du bois.");
  words.text = "On  parle du bois .";
  CHECK(sentence_text(words) == "On  parle du bois .");
}

TEST_CASE("tokens are laid over words by where they stand, whatever they write") {
  const ConlluSentence words = sentence_of({"Été", "10 000", "owls", "!"});
  const std::string text = "Été 10 000 owls!";
  // A template's token, a word in two pieces, one that begins with its space, a space alone, the
  // two words that one token covers, and nothing at the end.
  CHECK(aligned(words, text,
                {std::nullopt,
                 {{0, 2}},
                 {{2, 5}},
                 {{5, 8}},
                 {{8, 9}},
                 {{9, 12}},
                 {{12, 18}},
                 {{18, 18}}}) == Places{kNone, 0, 0, 1, 1, 1, 2, kNone});
  CHECK(aligned(words, text, {{{0, 5}}, {{6, 12}}, {{13, 17}}, {{17, 18}}}) == Places{0, 1, 2, 3});
  // Within a character, and an empty range at the start.
  CHECK(aligned(words, text, {{{0, 0}}, {{1, 2}}, {{4, 5}}}) == Places{0, 0, 0});
}

TEST_CASE("tokens of a surface form that differs from its words belong to the first of them") {
  const ConlluSentence words = sentence_of({"Do", "n't", "parle", "de", "le", "bois"},
                                           {{1, 2, "Don't", true}, {4, 5, "du", true}});
  CHECK(aligned(words, "Don't parle du bois",
                {{{0, 2}}, {{2, 5}}, {{6, 11}}, {{12, 13}}, {{13, 14}}, {{15, 19}}}) ==
        Places{0, 1, 2, 3, 3, 5});
}

TEST_CASE("a text that does not say the words is named with the word") {
  const ConlluSentence words = sentence_of({"big", "owls"});
  const auto error = [&](const char* text) {
    return test::error_of([&] { align_words(words, text, {}); });
  };
  CHECK(error("big dogs") ==
        "sentence owls-1 (line 12): word 2 'owls' is not what the characters of the text say; "
        "expected 'owls', got 'dogs'");
  CHECK(error("big") ==
        "sentence owls-1 (line 12): word 2 'owls' is not what the characters of the text say; "
        "expected 'owls', got the end of the characters of the text");
  CHECK(error("big owls !") ==
        "sentence owls-1 (line 12): the characters of the text go on after the last word 'owls'; "
        "expected the end, got '!'");
}

std::string without_spaces_of(std::string text) {
  std::erase(text, ' ');
  for (std::size_t at; (at = text.find("\u00A0")) != std::string::npos;) text.erase(at, 2);
  return text;
}

bool is_in_span(const ConlluSentence& sentence, std::size_t word) {
  return std::ranges::any_of(sentence.spans, [&](const ConlluSpan& span) {
    return span.first <= word + 1 && word + 1 <= span.last;
  });
}

// Every token has a word, every word the bytes that spell it, and no token begins in another word.
void check_tokenized(const Tokenizer& tokenizer, const ConlluSentence& sentence) {
  const std::string text = sentence_text(sentence);
  const TokenizedText tokens =
      tokenizer.encode(text, {.add_special = SpecialTokens::kNo, .bos = {}});
  const Places places = aligned(sentence, text, {tokens.offsets.begin(), tokens.offsets.end()});
  INFO(sentence.name());
  std::size_t last = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    INFO("token " << i << " " << tokens.tokens[i]);
    REQUIRE(places[i] < sentence.words.size());
    CHECK(places[i] >= last);
    last = places[i];
    const ByteRange& range = tokens.offsets[i];
    const std::string piece = without_spaces_of(text.substr(range.begin, range.end - range.begin));
    const bool begins_word = i == 0 || places[i - 1] != places[i];
    if (!begins_word || piece.empty() || is_in_span(sentence, places[i])) continue;
    const std::string form = without_spaces_of(sentence.words[places[i]].form);
    const std::size_t shared = std::min(piece.size(), form.size());
    CHECK(piece.substr(0, shared) == form.substr(0, shared));
  }
}

TEST_CASE("tokens of real tokenizers find the words of real treebanks") {
  const auto treebanks = test::shared_folder("treebanks");
  const auto files = test::shared_folder("tokenizers");
  const auto stories = test::shared_folder("stories260K");
  if (!treebanks || !files || !stories) return;
  const auto open = [](const std::string& path) {
    return Tokenizer::from_tokenizer_json(FileBytes::open(path, 1 << 26).text(), path);
  };
  const std::vector<Tokenizer> tokenizers = {open(*files + "/bert-base-uncased/tokenizer.json"),
                                             open(*files + "/gpt2/tokenizer.json"),
                                             open(*stories + "/tokenizer.json")};
  for (const char* name : {"english-ewt-220", "french-pud-150", "arabic-pud-150"}) {
    const FileBytes bytes = FileBytes::open(*treebanks + "/" + name + ".conllu", 1 << 26);
    ConlluReader reader(bytes.text());
    std::size_t n_read = 0;
    while (const auto sentence = reader.next()) {
      for (const Tokenizer& tokenizer : tokenizers) check_tokenized(tokenizer, *sentence);
      ++n_read;
    }
    CHECK(n_read >= 150);
  }
}

// The words, with surface forms in place of the words that they cover, and the first word of each.
std::pair<Tokens, Places> surface_of(const ConlluSentence& sentence) {
  std::pair<Tokens, Places> out;
  auto span = sentence.spans.begin();
  for (std::size_t w = 0; w < sentence.words.size();) {
    const bool is_span = span != sentence.spans.end() && span->first == w + 1;
    out.first.push_back(is_span ? span->form : sentence.words[w].form);
    out.second.push_back(w);
    w = is_span ? (span++)->last : w + 1;
  }
  return out;
}

void check_sentence(const ConlluSentence& sentence) {
  INFO(sentence.name());
  Places all;
  std::size_t n_pairs = 0;
  std::size_t n_roots = 0;
  for (std::size_t w = 0; w < sentence.words.size(); ++w) {
    all.push_back(w);
    n_roots += sentence.words[w].head == 0 ? 1 : 0;
  }
  CHECK(aligned(sentence, word_forms(sentence)) == all);
  const auto [tokens, places] = surface_of(sentence);
  CHECK(aligned(sentence, tokens) == places);
  for (const Relation& relation : word_relations(sentence)) n_pairs += relation.pairs.size();
  CHECK(n_pairs + n_roots == sentence.words.size());
}

TEST_CASE("sentences of real treebanks agree with their own words and surface forms") {
  const auto folder = test::shared_folder("treebanks");
  if (!folder) return;
  for (const char* name : {"english-ewt-220", "french-pud-150", "arabic-pud-150"}) {
    const FileBytes bytes = FileBytes::open(*folder + "/" + name + ".conllu", 1 << 26);
    ConlluReader reader(bytes.text());
    while (const auto sentence = reader.next()) check_sentence(*sentence);
  }
}

}  // namespace
}  // namespace mha
