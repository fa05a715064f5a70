// Sentences of a treebank, and their words laid over themselves as tokens.
#include "mha/source/treebank.hpp"

#include "fuzz/fuzz.hpp"

namespace {

void check_sentence(const mha::ConlluSentence& sentence) {
  using mha::fuzz::check;
  const std::size_t n_words = sentence.words.size();
  check(n_words > 0 && sentence.line > 0, "a sentence has words and a line");
  std::size_t covered = 0;
  for (const mha::ConlluSpan& span : sentence.spans) {
    check(span.first > covered && span.last >= span.first, "spans are in order");
    check(!span.form.empty(), "a span has a form");
    covered = span.last;
  }
  check(covered <= n_words, "spans lie within the sentence");
  for (const mha::ConlluWord& word : sentence.words) {
    check(!word.form.empty() && !word.deprel.empty(), "a word has a form and a relation");
  }
  for (const mha::Relation& relation : mha::word_relations(sentence)) {
    for (const auto& [query, key] : relation.pairs) {
      check(query < n_words && key < n_words && query != key, "a pair is two words");
    }
  }
}

// A sentence's own words are tokens that agree with it.
void check_alignment(const mha::ConlluSentence& sentence) {
  const std::vector<std::string> forms = mha::word_forms(sentence);
  const mha::WordAlignment alignment = mha::align_words(sentence, forms);
  mha::fuzz::check(alignment.word_of_token.size() == forms.size(), "every token is laid somewhere");
  for (const std::size_t word : alignment.word_of_token) {
    mha::fuzz::check(word < forms.size() || word == mha::WordAlignment::kNoWord, "a word exists");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mha;
  return fuzz::expect_input_error([&] {
    ConlluReader reader(fuzz::text_of(data, size));
    while (const auto sentence = reader.next()) {
      check_sentence(*sentence);
      try {
        check_alignment(*sentence);
      } catch (const Error&) {
        fuzz::check(false, "a sentence agrees with its own words");
      }
    }
  });
}
