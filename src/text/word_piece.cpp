#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

#include "model.hpp"

namespace mha::tok {
namespace {

// The longest piece first, from left to right; a word that does not come out is unknown as a whole
// (Wu et al. 2016; BERT).
class WordPiece : public Model {
 public:
  WordPiece(Vocabulary vocabulary, const WordPieceRules& rules)
      : Model(std::move(vocabulary)), rules_(rules), unk_(vocabulary_.find(rules.unk)) {
    for (std::uint32_t i = 0; i < vocabulary_.size(); ++i) {
      longest_piece_ = std::max(longest_piece_, vocabulary_.piece(i).size());
    }
  }

  std::string_view kind() const override { return "WordPiece"; }

  void tokenize(std::string_view word, std::vector<WordPart>* parts) const override {
    const std::size_t first_part = parts->size();
    const bool is_too_long = count_code_points(word) > rules_.longest_word;
    if (!is_too_long && add_pieces(word, parts)) return;
    if (unk_ == Vocabulary::kNone) {
      fail_input(concat("the word '", shortened(word), "' is unknown, and the vocabulary has no '",
                        shortened(rules_.unk), "'"));
    }
    parts->resize(first_part);
    parts->push_back({unk_, 0, word.size(), true});
  }

 private:
  bool add_pieces(std::string_view word, std::vector<WordPart>* parts) const {
    std::string candidate;
    for (std::size_t begin = 0; begin < word.size();) {
      candidate = begin > 0 ? rules_.prefix : "";
      const std::size_t prefix = candidate.size();
      candidate += word.substr(begin, longest_piece_);
      std::uint32_t entry = vocabulary_.find(candidate);
      while (entry == Vocabulary::kNone && candidate.size() > prefix) {
        candidate.pop_back();
        entry = vocabulary_.find(candidate);
      }
      const std::size_t length = candidate.size() - prefix;
      if (entry == Vocabulary::kNone || length == 0) return false;
      parts->push_back({entry, begin, begin + length});
      begin += length;
    }
    return true;
  }

  WordPieceRules rules_;
  std::uint32_t unk_;
  std::size_t longest_piece_ = 0;  // in bytes
};

}  // namespace

std::unique_ptr<Model> make_word_piece(Vocabulary vocabulary, const WordPieceRules& rules) {
  return std::make_unique<WordPiece>(std::move(vocabulary), rules);
}

}  // namespace mha::tok
