// The third step: the pieces of a word that the vocabulary has.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "config_fields.hpp"
#include "tokenizer_file.hpp"
#include "vocabulary.hpp"

namespace mha::tok {

// A piece of a word: an entry of the vocabulary, or Vocabulary::kNone for text that it has no piece
// and no unknown token for, and the bytes of the word that it stands for.
struct WordPart {
  std::uint32_t entry = Vocabulary::kNone;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_unknown = false;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual void tokenize(std::string_view word, std::vector<WordPart>* parts) const = 0;
  virtual std::string_view kind() const = 0;
  const Vocabulary& vocabulary() const { return vocabulary_; }

 protected:
  // Throws an input error when two pieces share an id, or there are none.
  explicit Model(Vocabulary vocabulary);

  Vocabulary vocabulary_;
};

// The member "model" of tokenizer.json, its vocabulary and merges apart. A kind that is not known
// is refused by name.
std::unique_ptr<Model> read_model(const Json& config, const std::string& place, ModelData data);

std::unique_ptr<Model> make_word_level(Vocabulary vocabulary, const std::string& unk);

struct WordPieceRules {
  std::string unk = "[UNK]";
  std::string prefix = "##";       // in front of pieces within a word
  std::size_t longest_word = 100;  // in characters; a longer one is unknown
};
std::unique_ptr<Model> make_word_piece(Vocabulary vocabulary, const WordPieceRules& rules);

struct BpeRules {
  std::string unk;
  std::string prefix;          // in front of pieces within a word
  std::string suffix;          // behind the last piece of a word
  bool fuse_unk = false;       // neighbouring unknown characters become one token
  bool byte_fallback = false;  // unknown characters become tokens such as <0xE7>
  bool ignore_merges = false;  // a word that is a piece stays whole
  bool is_byte_level = false;  // for kind()
};
std::unique_ptr<Model> make_bpe(Vocabulary vocabulary, const MergeList& merges,
                                const BpeRules& rules);

struct UnigramRules {
  std::uint32_t unk = Vocabulary::kNone;  // entry
  bool byte_fallback = false;
};
std::unique_ptr<Model> make_unigram(Vocabulary vocabulary, std::vector<double> scores,
                                    const UnigramRules& rules);

}  // namespace mha::tok
