#include "mha/io/conllu.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "mha/base/text.hpp"
#include "mha/io/file.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/shared_data.hpp"

namespace mha {
namespace {

// One line of ten columns; head and relation are given, what is not read is "_".
std::string line(const std::string& id, const std::string& form, const std::string& head,
                 const std::string& deprel, const std::string& misc = "_") {
  return join({id, form, "_", "X", "_", "_", head, deprel, "_", misc}, "\t") + "\n";
}

std::string range(const std::string& id, const std::string& form, const std::string& misc = "_") {
  return line(id, form, "_", "_", misc);
}

std::vector<ConlluSentence> read_all(std::string_view text) {
  ConlluReader reader(text);
  std::vector<ConlluSentence> out;
  while (auto sentence = reader.next()) out.push_back(std::move(*sentence));
  return out;
}

std::string error_in(const std::string& text) {
  return test::error_of([&] { read_all(text); });
}

const std::string kOwls =
    "# sent_id = owls-1\n# text = Owls sleep.\n" + line("1", "Owls", "2", "nsubj") +
    line("2", "sleep", "0", "root", "Gloss=zzz|SpaceAfter=No") + line("3", ".", "2", "punct");

void check_owls(const ConlluSentence& sentence) {
  CHECK(sentence.id == "owls-1");
  CHECK(sentence.text == "Owls sleep.");
  REQUIRE(sentence.words.size() == 3);
  CHECK(sentence.words[0].form == "Owls");
  CHECK(sentence.words[0].upos == "X");
  CHECK(sentence.words[0].deprel == "nsubj");
  CHECK(sentence.words[0].head == 2);
  CHECK(sentence.words[0].space_after);
  CHECK(sentence.words[1].head == 0);
  CHECK_FALSE(sentence.words[1].space_after);
  CHECK(sentence.words[2].form == ".");
  CHECK(sentence.spans.empty());
}

TEST_CASE("a sentence has its comments, words, heads and relations") {
  const auto sentences = read_all(kOwls + "\n");
  REQUIRE(sentences.size() == 1);
  check_owls(sentences[0]);
  CHECK(sentences[0].line == 1);
  CHECK(sentences[0].name() == "sentence owls-1 (line 1)");
}

TEST_CASE("line ends of Windows, a byte order mark and a missing last line end change nothing") {
  std::string windows;
  for (const char c : kOwls) windows += c == '\n' ? "\r\n" : std::string(1, c);
  const std::string cut = kOwls.substr(0, kOwls.size() - 1);
  for (const std::string& text : {windows, windows + "\r\n", "\xEF\xBB\xBF" + kOwls, cut}) {
    const auto sentences = read_all(text);
    REQUIRE(sentences.size() == 1);
    check_owls(sentences[0]);
  }
}

TEST_CASE("blank lines part sentences, however many there are") {
  const auto sentences =
      read_all("\n\n" + kOwls + "\n\n\n" + line("1", "Hoot", "0", "root") + "\n\n");
  REQUIRE(sentences.size() == 2);
  CHECK(sentences[0].line == 3);
  CHECK(sentences[1].line == 11);
  CHECK(sentences[1].id.empty());
  CHECK(sentences[1].name() == "the sentence at line 11");
}

TEST_CASE("a text without a line that says something has no sentences") {
  for (const char* text : {"", "\n", "\r\n\r\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n"}) {
    CHECK(read_all(text).empty());
  }
}

TEST_CASE("multiword tokens are spans over the words that follow them") {
  const auto sentences = read_all(range("1-2", "Don't") + line("1", "Do", "3", "aux") +
                                  line("2", "n't", "3", "advmod") + line("3", "wake", "0", "root") +
                                  range("4-5", "'em", "SpaceAfter=No") +
                                  line("4", "th", "3", "obj") + line("5", "em", "4", "flat"));
  REQUIRE(sentences.size() == 1);
  REQUIRE(sentences[0].words.size() == 5);
  const std::vector<ConlluSpan>& spans = sentences[0].spans;
  REQUIRE(spans.size() == 2);
  CHECK(spans[0].first == 1);
  CHECK(spans[0].last == 2);
  CHECK(spans[0].form == "Don't");
  CHECK(spans[0].space_after);
  CHECK(spans[1].first == 4);
  CHECK(spans[1].last == 5);
  CHECK_FALSE(spans[1].space_after);
}

TEST_CASE("empty nodes are skipped wherever they stand") {
  const auto sentences = read_all(line("0.1", "so", "_", "_") + line("1", "I", "2", "nsubj") +
                                  line("2", "nap", "0", "root") + line("2.1", "", "_", "_") +
                                  line("2.2", "nap", "_", "_") + line("3", "too", "2", "advmod") +
                                  line("3.1", "!", "_", "_"));
  REQUIRE(sentences.size() == 1);
  CHECK(sentences[0].words.size() == 3);
}

TEST_CASE("forms may hold spaces, marks of comments, and other scripts") {
  const auto sentences =
      read_all(line("1", "10 000", "2", "nummod") + line("2", "#owls", "0", "root") +
               line("3", "सोते", "2", "dep") + line("4", "_", "2", "dep"));
  REQUIRE(sentences[0].words.size() == 4);
  CHECK(sentences[0].words[0].form == "10 000");
  CHECK(sentences[0].words[1].form == "#owls");
  CHECK(sentences[0].words[2].form == "सोते");
  CHECK(sentences[0].words[3].form == "_");
}

TEST_CASE("comments count only by their exact names, and the first of a name counts") {
  const auto sentences =
      read_all("#sent_id=a b\n# sent_id = second\n# text_en = no\n# newpar\n# text =  x = y \n" +
               line("1", "x", "0", "root"));
  CHECK(sentences[0].id == "a b");
  CHECK(sentences[0].text == "x = y");
}

TEST_CASE("several roots are accepted, and lines of any length") {
  const std::string form(300000, 'z');
  const auto sentences = read_all(line("1", form, "0", "root") + line("2", "b", "0", "root"));
  CHECK(sentences[0].words[0].form == form);
  CHECK(sentences[0].words[1].head == 0);
}

TEST_CASE("a sentence that was read stands before the error of the next one") {
  const std::string text = kOwls + "\n" + line("2", "x", "0", "root");
  ConlluReader reader(text);
  check_owls(reader.next().value());
  CHECK(test::error_of([&] { reader.next(); }) ==
        "7: a word is out of order; expected number 1, got '2'");
}

TEST_CASE("wrong columns are named with their line") {
  CHECK(error_in("1\tOwls\t_\n") ==
        "1: the line has the wrong number of columns; expected 10 with tabs between them, got 3");
  CHECK(error_in(line("1", "a", "0", "root", "_\t_")) ==
        "1: the line has the wrong number of columns; expected 10 with tabs between them, got 11");
  CHECK(error_in("# text = a\n1 a _ X _ _ 0 root _ _\n") ==
        "2: the line has the wrong number of columns; expected 10 with tabs between them, got 1\n"
        "hint: a blank line is quite empty; columns need tabs, not spaces");
  CHECK(error_in(line("1", "", "0", "root")) ==
        "1: the form is empty; expected the text of the word, got none");
  CHECK(error_in(range("1-2", " ")) ==
        "1: the form is empty; expected the text of the word, got none");
  CHECK(error_in(line("1", "a", "0", "")) ==
        "1: the relation is empty; expected a name such as nsubj, got none");
}

TEST_CASE("numbers of words must be numbers, and in order") {
  for (const char* id : {"", "x", "0", "01", "-1", "1-", "1-2-3", "1.0", "1.", "+1", "0-1", "1 ",
                         "99999999999999999999999"}) {
    INFO(id);
    CHECK(error_in(line(id, "a", "0", "root")) ==
          concat("1: this is not a word's number; expected a number such as 8, 8-9 or 8.1, got '",
                 id, "'"));
  }
  CHECK(error_in(kOwls + line("5", "a", "2", "dep")) ==
        "6: a word is out of order; expected number 4, got '5'");
  CHECK(error_in(kOwls + line("3", "a", "2", "dep")) ==
        "6: a word is out of order; expected number 4, got '3'");
  CHECK(error_in(kOwls + line("2.1", "a", "_", "_")) ==
        "6: an empty node is out of order; expected 3.1, got '2.1'");
  CHECK(error_in(kOwls + line("3.2", "a", "_", "_")) ==
        "6: an empty node is out of order; expected 3.1, got '3.2'");
}

TEST_CASE("ranges of words must fit the words and each other") {
  CHECK(error_in(kOwls + range("5-4", "a")) ==
        "6: a range of words ends before it starts; expected FIRST-LAST, got '5-4'");
  CHECK(error_in(kOwls + range("3-4", "a")) ==
        "6: a range of words is out of order; expected one that starts at 4, got '3-4'");
  CHECK(error_in(kOwls + range("5-6", "a")) ==
        "6: a range of words is out of order; expected one that starts at 4, got '5-6'");
  CHECK(error_in(kOwls + range("4-5", "a")) ==
        "6: a range of words goes beyond the sentence; expected word 3 at most, got '4-5'");
  CHECK(error_in(range("1-18446744073709551615", "a") + line("1", "a", "0", "root")) ==
        "1: a range of words goes beyond the sentence; expected word 1 at most, got "
        "'1-18446744073709551615'");
  CHECK(error_in(range("1-3", "abc") + line("1", "a", "0", "root") + range("2-3", "bc")) ==
        "3: a range of words overlaps 1-3; expected one that starts at 4 or later, got '2-3'");
  CHECK(error_in(range("1-2", "abc") + range("1-3", "abc")) ==
        "2: a range of words overlaps 1-2; expected one that starts at 3 or later, got '1-3'");
}

TEST_CASE("heads must be other words of the sentence, and one word the root") {
  CHECK(error_in(line("1", "a", "_", "_")) ==
        "1: the head of word 1 is not a number; expected 0 or a word's number, got '_'");
  CHECK(error_in(line("1", "a", "-1", "dep")) ==
        "1: the head of word 1 is not a number; expected 0 or a word's number, got '-1'");
  CHECK(error_in(line("1", "a", "1", "root")) ==
        "1: word 1 is its own head; expected 0 or another word's number, got '1'");
  CHECK(error_in("# a\n" + line("1", "a", "0", "root") + line("2", "b", "3", "dep")) ==
        "3: the head of word 2 is beyond the sentence; expected 2 at most, got 3");
  CHECK(error_in("# a\n" + line("1", "a", "2", "dep") + line("2", "b", "1", "dep")) ==
        "1: a sentence without a root; expected a word whose head is 0, got none");
}

TEST_CASE("a sentence needs words, and its comments before them") {
  const std::string message = ": a sentence without words; expected at least one word, got none";
  CHECK(error_in("# a\n\n" + kOwls) == "1" + message);
  CHECK(error_in(kOwls + "\n# a") == "7" + message);
  CHECK(error_in(line("0.1", "a", "_", "_")) == "1" + message);
  CHECK(error_in(range("1-2", "a")) == "1" + message);
  CHECK(error_in(kOwls + "# sent_id = next\n" + kOwls) ==
        "6: a comment within a sentence; expected a blank line before it, got '# sent_id = next'");
}

TEST_CASE("text that is not UTF-8 or has zero bytes is refused in comments and words") {
  const std::string hint = "\nhint: if this is UTF-16 or Latin-1, save it as UTF-8";
  CHECK(error_in("# caf\xE9\n" + kOwls) ==
        "1: not UTF-8 at byte 6 of the line; expected UTF-8 text" + hint);
  CHECK(error_in(kOwls + line("4", "\xC3(", "2", "dep")) ==
        "6: not UTF-8 at byte 3 of the line; expected UTF-8 text" + hint);
  CHECK(error_in(kOwls + line("4", std::string(1, '\0'), "2", "dep")) ==
        "6: a zero byte at byte 3 of the line; expected UTF-8 text" + hint);
  CHECK(error_in("\xFF\xFE#") == "1: not UTF-8 at byte 1 of the line; expected UTF-8 text" + hint);
}

TEST_CASE("what a message quotes is kept short") {
  CHECK(error_in(line(std::string(1000, '9'), "a", "0", "root")) ==
        "1: this is not a word's number; expected a number such as 8, 8-9 or 8.1, got '" +
            std::string(40, '9') + "...'");
}

struct Counts {
  std::size_t sentences = 0;
  std::size_t words = 0;
  std::size_t spans = 0;

  bool operator==(const Counts&) const = default;
};

// By lines alone: a plain number is a word, a blank line after words ends a sentence.
Counts count_lines(std::string_view text) {
  Counts counts;
  std::istringstream lines{std::string(text)};
  bool in_sentence = false;
  for (std::string one; std::getline(lines, one);) {
    const std::string id = one.substr(0, one.find('\t'));
    const bool is_number =
        !id.empty() && std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
    counts.words += is_number ? 1 : 0;
    counts.spans += !one.empty() && one[0] != '#' && id.find('-') != std::string::npos ? 1 : 0;
    counts.sentences += one.empty() && in_sentence ? 1 : 0;
    in_sentence = !one.empty();
  }
  counts.sentences += in_sentence ? 1 : 0;
  return counts;
}

TEST_CASE("real treebanks are read completely") {
  const auto folder = test::shared_folder("treebanks");
  if (!folder) return;
  const std::array<std::pair<const char*, std::size_t>, 3> files = {
      {{"english-ewt-220", 220}, {"french-pud-150", 150}, {"arabic-pud-150", 150}}};
  for (const auto& [name, n_sentences] : files) {
    INFO(name);
    const FileBytes bytes = FileBytes::open(*folder + "/" + name + ".conllu", 1 << 26);
    Counts read;
    for (const ConlluSentence& sentence : read_all(bytes.text())) {
      ++read.sentences;
      read.words += sentence.words.size();
      read.spans += sentence.spans.size();
      CHECK_FALSE(sentence.id.empty());
      CHECK_FALSE(sentence.text.empty());
    }
    CHECK(read == count_lines(bytes.text()));
    CHECK(read.sentences == n_sentences);
  }
}

}  // namespace
}  // namespace mha
