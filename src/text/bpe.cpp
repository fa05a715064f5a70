#include <array>
#include <queue>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

#include "byte_pieces.hpp"
#include "merge_table.hpp"
#include "model.hpp"

namespace mha::tok {
namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

// A piece of the word, linked to its neighbours.
struct Symbol {
  WordPart part;
  std::size_t previous;
  std::size_t next;
};

// A merge that was possible when it was put into the queue.
struct Candidate {
  std::uint32_t rank;
  std::size_t left;  // symbol
  std::size_t left_end;
  std::size_t right_end;  // tell whether the symbols have changed since
  std::uint32_t merged;
  bool operator<(const Candidate& other) const {  // the queue gives the largest
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};

// Merges the neighbours whose rule comes first until no rule is left; n log n for n symbols.
class Merger {
 public:
  Merger(const MergeTable& table, std::vector<WordPart>* parts, std::size_t first)
      : table_(table), parts_(*parts), first_(first) {
    for (std::size_t i = 0; i + first < parts->size(); ++i) {
      const bool is_last = i + first + 1 == parts->size();
      symbols_.push_back({parts_[first + i], i == 0 ? kNobody : i - 1, is_last ? kNobody : i + 1});
    }
  }

  void run() {
    for (std::size_t i = 0; i < symbols_.size(); ++i) consider(i);
    while (!queue_.empty()) {
      const Candidate candidate = queue_.top();
      queue_.pop();
      if (is_current(candidate)) merge(candidate);
    }
    parts_.resize(first_);
    for (std::size_t i = symbols_.empty() ? kNobody : 0; i != kNobody; i = symbols_[i].next) {
      parts_.push_back(symbols_[i].part);
    }
  }

 private:
  void consider(std::size_t left) {
    if (left == kNobody || symbols_[left].next == kNobody) return;
    const WordPart& a = symbols_[left].part;
    const WordPart& b = symbols_[symbols_[left].next].part;
    if (a.entry == Vocabulary::kNone || b.entry == Vocabulary::kNone) return;
    const MergeRule* rule = table_.find(a.entry, b.entry);
    if (rule != nullptr) queue_.push({rule->rank, left, a.end, b.end, rule->merged});
  }

  // A symbol that was merged into the one before it has its end at 0.
  bool is_current(const Candidate& candidate) const {
    const Symbol& left = symbols_[candidate.left];
    return left.part.end == candidate.left_end && left.next != kNobody &&
           symbols_[left.next].part.end == candidate.right_end;
  }

  void merge(const Candidate& candidate) {
    Symbol& left = symbols_[candidate.left];
    Symbol& right = symbols_[left.next];
    left.part.entry = candidate.merged;
    left.part.end = right.part.end;
    left.part.is_unknown = false;
    right.part.end = 0;
    left.next = right.next;
    if (left.next != kNobody) symbols_[left.next].previous = candidate.left;
    consider(left.previous);
    consider(candidate.left);
  }

  const MergeTable& table_;
  std::vector<WordPart>& parts_;
  std::size_t first_;
  std::vector<Symbol> symbols_;
  std::priority_queue<Candidate> queue_;
};

// Byte pair encoding (Sennrich et al. 2016).
class Bpe : public Model {
 public:
  Bpe(Vocabulary vocabulary, const MergeList& merges, const BpeRules& rules)
      : Model(std::move(vocabulary)),
        rules_(rules),
        merges_(merges, vocabulary_, rules.prefix),
        bytes_(vocabulary_),
        unk_(rules.unk.empty() ? Vocabulary::kNone : vocabulary_.find(rules.unk)) {}

  std::string_view kind() const override { return "BPE"; }

  void tokenize(std::string_view word, std::vector<WordPart>* parts) const override {
    const std::uint32_t whole = rules_.ignore_merges ? vocabulary_.find(word) : Vocabulary::kNone;
    if (whole != Vocabulary::kNone) return parts->push_back({whole, 0, word.size()});
    const std::size_t first = parts->size();
    add_characters(word, parts);
    Merger(merges_, parts, first).run();
  }

 private:
  void add_characters(std::string_view word, std::vector<WordPart>* parts) const {
    std::string piece;
    const std::size_t first = parts->size();
    for (std::size_t end = 0; end < word.size();) {
      const std::size_t begin = end;
      next_code_point(word, &end);
      piece = begin > 0 ? rules_.prefix : "";
      piece += word.substr(begin, end - begin);
      if (end == word.size()) piece += rules_.suffix;
      const std::uint32_t entry = vocabulary_.find(piece);
      if (entry != Vocabulary::kNone) {
        parts->push_back({entry, begin, end});
      } else if (!rules_.byte_fallback || !bytes_.add(piece, begin, end, parts)) {
        add_unknown(begin, end, first, parts);
      }
    }
  }

  void add_unknown(std::size_t begin, std::size_t end, std::size_t first,
                   std::vector<WordPart>* parts) const {
    if (!rules_.unk.empty() && unk_ == Vocabulary::kNone) {
      fail_input(concat("the vocabulary has no unknown token '", shortened(rules_.unk), "'"));
    }
    const bool fuses = parts->size() > first && parts->back().is_unknown &&
                       (rules_.fuse_unk || unk_ == Vocabulary::kNone);
    if (fuses) {
      parts->back().end = end;
    } else {
      parts->push_back({unk_, begin, end, true});
    }
  }

  BpeRules rules_;
  MergeTable merges_;
  BytePieces bytes_;
  std::uint32_t unk_;
};

}  // namespace

std::unique_ptr<Model> make_bpe(Vocabulary vocabulary, const MergeList& merges,
                                const BpeRules& rules) {
  return std::make_unique<Bpe>(std::move(vocabulary), merges, rules);
}

}  // namespace mha::tok
