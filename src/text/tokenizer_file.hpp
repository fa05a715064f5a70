// The contents of tokenizer.json: its vocabulary and merges in compact form, the rest as JSON.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config_fields.hpp"
#include "vocabulary.hpp"

namespace mha::tok {

// Pairs of pieces, first to be merged first, in one block of text.
class MergeList {
 public:
  // Makes room for what a file of so many bytes can hold; memory that is not used is not touched.
  void reserve_for_file(std::size_t n_bytes);
  std::size_t size() const { return merges_.size(); }
  void add(std::string_view left, std::string_view right);
  std::string_view left(std::size_t i) const { return between(merges_[i].left, merges_[i].right); }
  std::string_view right(std::size_t i) const { return between(merges_[i].right, merges_[i].end); }

 private:
  struct Merge {
    std::uint32_t left, right, end;  // where the pieces begin, and where the second ends
  };
  std::string_view between(std::size_t begin, std::size_t end) const {
    return std::string_view(text_).substr(begin, end - begin);
  }
  std::string text_;
  std::vector<Merge> merges_;
};

// "left right" with exactly one space between them; false, and nothing added, for other text.
bool add_merge_line(std::string_view line, MergeList* merges);
[[noreturn]] void fail_merge_line(std::string_view line, const std::string& place);

struct ModelData {
  Vocabulary vocabulary;
  std::vector<double>
      scores;  // where the vocabulary is a list of [piece, score]: one for each entry
  bool has_vocabulary = false;
  bool has_merges = false;
  MergeList merges;
};

struct TokenizerFile {
  TokenizerFile();
  ~TokenizerFile();
  TokenizerFile(TokenizerFile&&) noexcept;

  std::unique_ptr<Json> config;  // without model/vocab, model/merges and decoder
  ModelData model;
};

// Files are below 4 GiB, which keeps offsets short. Throws an input error.
void check_file_size(std::string_view bytes);

// Throws input errors whose place is a JSON pointer, or line:column where the text is no JSON.
TokenizerFile read_tokenizer_file(std::string_view json);

// A vocab.json: {"piece": id, ...}.
Vocabulary read_vocab_json(std::string_view json);

}  // namespace mha::tok
