#include "tokenizer_events.hpp"

#include <cmath>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha::tok {
namespace {

constexpr std::size_t kDeepest = 64;  // tokenizers nest a few sequences

}  // namespace

std::string TokenizerEvents::place_of_key() const {
  std::string place;
  for (const std::string& name : path_) place += name.empty() ? "" : "/" + name;
  return place + (parents_.empty() ? "" : "/" + key_);
}

std::string TokenizerEvents::entry_place() const {
  const bool is_merge = part_ == Part::kMerges || part_ == Part::kMergePair;
  return concat(is_vocabulary_ ? "" : "/model", is_merge ? "/merges/" : "/vocab/", n_entries_);
}

void TokenizerEvents::fail_entry(const std::string& expected, const Json& got) const {
  fail_config(entry_place(), "wrong entry", expected, description(got));
}

// Which part the object or array under key_ begins.
TokenizerEvents::Part TokenizerEvents::part_of_member(bool is_object) const {
  if (is_vocabulary_ && parents_.empty() && is_object) return Part::kPieces;
  if (parents_.size() == 1 && key_ == "decoder") return Part::kSkipped;
  if (parents_.size() != 2 || path_[1] != "model") return Part::kConfig;
  if (key_ == "vocab") return is_object ? Part::kPieces : Part::kScored;
  return key_ == "merges" && !is_object ? Part::kMerges : Part::kConfig;
}

void TokenizerEvents::open(bool is_object) {
  if (part_ != Part::kConfig) return open_entry(is_object);
  part_ = part_of_member(is_object);
  n_entries_ = 0;
  depth_ = 1;
  switch (part_) {
    case Part::kConfig:
      if (parents_.size() >= kDeepest) {
        fail_input(concat("nested too deeply; expected at most ", kDeepest, " levels"));
      }
      path_.push_back(parents_.empty() || parents_.back()->is_array() ? "" : key_);
      return attach(is_object ? Json::object() : Json::array());
    case Part::kSkipped:
      return;
    case Part::kMerges:
      if (model_.has_merges) fail_input("/model/merges: given twice");
      model_.has_merges = true;
      return;
    default:
      if (model_.has_vocabulary) fail_input("/model/vocab: given twice");
      model_.has_vocabulary = true;
  }
}

// An object or array within one of the parts.
void TokenizerEvents::open_entry(bool is_object) {
  if (part_ == Part::kSkipped) {
    ++depth_;
  } else if (part_ == Part::kScored && !is_object) {
    part_ = Part::kScoredPiece;
  } else if (part_ == Part::kMerges && !is_object) {
    part_ = Part::kMergePair;
  } else {
    value(is_object ? Json::object() : Json::array());  // refused like any other value
  }
  pair_.clear();
  n_values_ = 0;
}

void TokenizerEvents::close() {
  if (part_ == Part::kScoredPiece || part_ == Part::kMergePair) return close_entry();
  if (part_ == Part::kConfig) {
    parents_.pop_back();
    path_.pop_back();
  } else if (--depth_ == 0) {
    part_ = Part::kConfig;
  }
}

void TokenizerEvents::close_entry() {
  const bool is_merge = part_ == Part::kMergePair;
  if (n_values_ != 2) fail_entry(is_merge ? "two pieces" : "a piece and its score", Json::array());
  if (is_merge) model_.merges.add(pair_[0], pair_[1]);
  part_ = is_merge ? Part::kMerges : Part::kScored;
  ++n_entries_;
}

void TokenizerEvents::attach(Json value) {
  const bool is_container = value.is_structured();
  Json* added = root_;
  if (parents_.empty()) {
    *root_ = std::move(value);
  } else if (parents_.back()->is_array()) {
    parents_.back()->push_back(std::move(value));
    added = &parents_.back()->back();
  } else {
    const auto [place, is_new] = parents_.back()->emplace(key_, std::move(value));
    if (!is_new) fail_input(place_of_key() + ": given twice");
    added = &*place;
  }
  if (is_container) parents_.push_back(added);
}

void TokenizerEvents::string(std::string& text) {
  if (part_ == Part::kMerges) {
    if (!add_merge_line(text, &model_.merges)) fail_merge_line(text, entry_place());
    ++n_entries_;
  } else if ((part_ == Part::kMergePair || part_ == Part::kScoredPiece) &&
             pair_.size() == n_values_) {
    ++n_values_;
    pair_.push_back(std::move(text));
  } else {
    value(std::move(text));
  }
}

void TokenizerEvents::value(Json value) {
  switch (part_) {
    case Part::kConfig:
      return attach(std::move(value));
    case Part::kSkipped:
      return;
    case Part::kPieces:
      return add_piece(value);
    case Part::kScoredPiece:
      return add_scored_value(value);
    case Part::kScored:
      fail_entry("[piece, score]", value);
    case Part::kMerges:
    case Part::kMergePair:
      fail_entry("two pieces", value);
  }
}

void TokenizerEvents::add_piece(const Json& id) {
  if (!id.is_number_unsigned() || id.get<std::uint64_t>() > kLargestId) {
    fail_config(concat(is_vocabulary_ ? "/" : "/model/vocab/", shortened(key_)), "wrong id",
                concat("a whole number from 0 to ", kLargestId), description(id));
  }
  add_new_piece(key_, id.get<std::uint32_t>());
}

void TokenizerEvents::add_scored_value(const Json& score) {
  if (n_values_ != 1 || !score.is_number() || !std::isfinite(score.get<double>())) {
    fail_entry("a piece and its score", score);
  }
  ++n_values_;
  add_new_piece(pair_[0], model_.vocabulary.size());
  model_.scores.push_back(score.get<double>());
}

void TokenizerEvents::add_new_piece(const std::string& piece, std::uint32_t id) {
  if (!model_.vocabulary.add(piece, id)) {
    fail_input(concat(is_vocabulary_ ? "" : "/model/vocab", "/", shortened(piece),
                      ": the piece is given twice"));
  }
}

}  // namespace mha::tok
