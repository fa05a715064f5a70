#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

#include "byte_pieces.hpp"
#include "model.hpp"
#include "prefix_search.hpp"

namespace mha::tok {
namespace {

// How much less an unknown character scores than the worst piece, as in SentencePiece.
constexpr double kUnknownPenalty = 10;

// The best way to reach one place in the word.
struct Best {
  double score = 0;
  std::size_t from = 0;
  std::uint32_t entry = Vocabulary::kNone;  // kNone: an unknown character
  bool is_reached = false;

  void offer(double new_score, std::size_t new_from, std::uint32_t new_entry) {
    if (is_reached && new_score <= score) return;
    *this = {new_score, new_from, new_entry, true};
  }
};

// The cut with the largest sum of scores, by dynamic programming (Kudo 2018).
class Unigram : public Model {
 public:
  Unigram(Vocabulary vocabulary, std::vector<double> scores, const UnigramRules& rules)
      : Model(std::move(vocabulary)),
        scores_(std::move(scores)),
        rules_(rules),
        bytes_(vocabulary_),
        unknown_score_(*std::ranges::min_element(scores_) - kUnknownPenalty) {
    std::vector<PrefixSearch::Entry> pieces;
    pieces.reserve(vocabulary_.size());
    for (std::uint32_t i = 0; i < vocabulary_.size(); ++i) {
      pieces.push_back({vocabulary_.piece(i), i});
    }
    search_ = PrefixSearch(std::move(pieces));
  }

  std::string_view kind() const override { return "Unigram"; }

  void tokenize(std::string_view word, std::vector<WordPart>* parts) const override {
    const std::vector<Best> best = best_ways(word);
    std::vector<WordPart> reversed;
    for (std::size_t end = word.size(); end > 0; end = best[end].from) {
      const std::uint32_t entry = best[end].entry;
      const bool is_unknown = entry == Vocabulary::kNone || entry == rules_.unk;
      // Neighbouring unknown characters become one token.
      if (is_unknown && !reversed.empty() && reversed.back().is_unknown) {
        reversed.back().begin = best[end].from;
      } else {
        reversed.push_back({entry, best[end].from, end, is_unknown});
      }
    }
    std::ranges::reverse(reversed);
    for (const WordPart& part : reversed) add_part(word, part, parts);
  }

 private:
  std::vector<Best> best_ways(std::string_view word) const {
    std::vector<Best> best(word.size() + 1);
    best[0].is_reached = true;
    for (std::size_t next = 0; next < word.size();) {
      const std::size_t at = next;
      next_code_point(word, &next);
      bool has_character = false;
      search_.for_each_prefix(word.substr(at), [&](std::size_t length, std::uint32_t entry) {
        best[at + length].offer(best[at].score + scores_[entry], at, entry);
        has_character = has_character || at + length == next;
      });
      if (!has_character) best[next].offer(best[at].score + unknown_score_, at, Vocabulary::kNone);
    }
    return best;
  }

  void add_part(std::string_view word, const WordPart& part, std::vector<WordPart>* parts) const {
    if (!part.is_unknown) return parts->push_back(part);
    const std::string_view text = word.substr(part.begin, part.end - part.begin);
    if (const std::uint32_t entry = vocabulary_.find(text); entry != Vocabulary::kNone) {
      return parts->push_back({entry, part.begin, part.end, entry == rules_.unk});
    }
    if (rules_.byte_fallback) {
      const std::size_t first = parts->size();
      if (bytes_.add(text, part.begin, part.end, parts)) {
        // Each byte token stands for the whole stretch, as in the reference.
        for (std::size_t i = first; i < parts->size(); ++i) {
          (*parts)[i].begin = part.begin;
          (*parts)[i].end = part.end;
        }
        return;
      }
    }
    if (rules_.unk == Vocabulary::kNone) {
      fail_input(concat("the vocabulary has neither '", shortened(text), "' nor an unknown token"));
    }
    parts->push_back({rules_.unk, part.begin, part.end, true});
  }

  std::vector<double> scores_;
  UnigramRules rules_;
  BytePieces bytes_;
  double unknown_score_;
  PrefixSearch search_;
};

}  // namespace

std::unique_ptr<Model> make_unigram(Vocabulary vocabulary, std::vector<double> scores,
                                    const UnigramRules& rules) {
  if (scores.empty()) fail_input("the vocabulary is empty");
  return std::make_unique<Unigram>(std::move(vocabulary), std::move(scores), rules);
}

}  // namespace mha::tok
