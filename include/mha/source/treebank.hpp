// Treebank sentences and the tokens of an input: which token belongs to which word, and how the
// words depend on each other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mha/io/conllu.hpp"
#include "mha/source/source.hpp"
#include "mha/text/tokenizer.hpp"

namespace mha {

struct WordAlignment {
  static constexpr std::size_t kNoWord = static_cast<std::size_t>(-1);
  // For each token a word, counted from 0, or kNoWord for special tokens. A word whose text shares
  // a token with an earlier word may have no token of its own.
  std::vector<std::size_t> word_of_token;
  std::size_t n_words = 0;
};

// Lays raw tokens over the words of a sentence. The tokens' texts, one after the other, must be the
// words' texts or, for a multiword token, its surface form; spaces count on neither side. A token
// belongs to the word that its first character lies in; where a surface form differs from its
// words' texts ("du", "de" + "le"), its tokens belong to the first of the words. A token of space
// alone belongs to the word that follows.
//
// Known ways to write tokens: plain text; SentencePiece (space mark U+2581, "<0xE7>"); WordPiece
// ("##ing"); byte-level BPE (a text per byte, U+0120 for a space). Special tokens (text/tokens.hpp)
// are left out, unless the sentence has them as words. When no token has a capital, case is ignored
// for the letters of ASCII; tokens that lost accents or other capitals do not match.
//
// Throws Error(kInput) that names the sentence, the word and both texts.
WordAlignment align_words(const ConlluSentence& sentence, const std::vector<std::string>& tokens);

// The text of a sentence: its comment "text", or else its words (surface forms for multiword
// tokens) with spaces where SpaceAfter does not forbid them.
std::string sentence_text(const ConlluSentence& sentence);

// The same from where tokens stand in the text that they were made of, whatever they write: a piece
// without accents or capitals and an unknown token stand where their word does. The text must say
// the sentence's words. A token belongs to the word that its range begins in, or that follows it
// where it begins in space; one without a range belongs to none.
WordAlignment align_words(const ConlluSentence& sentence, std::string_view text,
                          const std::vector<std::optional<ByteRange>>& ranges);

// One relation for each deprel, in the order in which they first occur: pairs of words counted from
// 0, the dependent as query and its head as key. Words without a head are left out.
std::vector<Relation> word_relations(const ConlluSentence& sentence);

std::vector<std::string> word_forms(const ConlluSentence& sentence);

}  // namespace mha
