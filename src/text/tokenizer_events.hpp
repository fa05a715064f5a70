// Sorts the parts of a tokenizer.json while it is parsed. Private to tokenizer_file.cpp.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tokenizer_file.hpp"

namespace mha::tok {

// A vocabulary of 128k pieces as JSON values would take a second to build and to destroy, so the
// two large members go straight to ModelData, and the decoder, which nobody needs, nowhere.
class TokenizerEvents {
 public:
  TokenizerEvents(Json* root, ModelData* model) : root_(root), model_(*model) {}
  // The document itself is a vocabulary.
  void expect_vocabulary() { is_vocabulary_ = true; }

  void value(Json value);
  void string(std::string& text);
  void key(std::string& name) { key_.swap(name); }
  void open(bool is_object);
  void close();

 private:
  enum class Part { kConfig, kSkipped, kPieces, kScored, kScoredPiece, kMerges, kMergePair };

  Part part_of_member(bool is_object) const;
  void open_entry(bool is_object);
  void attach(Json value);
  void add_piece(const Json& id);
  void add_scored_value(const Json& value);
  void close_entry();
  void add_new_piece(const std::string& piece, std::uint32_t id);
  [[noreturn]] void fail_entry(const std::string& expected, const Json& got) const;
  std::string entry_place() const;
  std::string place_of_key() const;

  Json* root_;
  ModelData& model_;
  bool is_vocabulary_ = false;
  Part part_ = Part::kConfig;
  std::vector<Json*> parents_;     // the open objects and arrays of the configuration
  std::vector<std::string> path_;  // their names
  std::size_t depth_ = 0;          // open brackets in a part that is skipped
  std::size_t n_entries_ = 0;      // of the part so far
  std::string key_;
  std::vector<std::string> pair_;  // the pieces of a merge, or the piece of a score
  std::size_t n_values_ = 0;       // in the entry that is open
};

}  // namespace mha::tok
