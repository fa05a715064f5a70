#include "input_scores.hpp"

#include <memory>

#include "mha/analysis/word_rows.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"
#include "mha/source/treebank.hpp"

#include "memory_check.hpp"
#include "score_output.hpp"
#include "summary.hpp"

namespace mha::cli {
namespace {

// Work that threads would only slow down.
bool is_small(const Analysis& analysis) {
  constexpr double kFewCells = 300000;
  double cells = 0;
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    const AttentionShape& shape = analysis.layer_of(s).shape;
    cells += static_cast<double>(shape.n_query) * static_cast<double>(shape.n_key);
  }
  return cells < kFewCells;
}

// Relations of a treebank hold between words: they are scored on rows of words, and everything else
// on rows of tokens.
class WordRelations {
 public:
  WordRelations(const OpenedInput& input, const ConlluSentence& sentence, std::size_t n_slots)
      : alignment_(input.token_ranges.empty()
                       ? align_words(sentence, input.key_tokens)
                       : align_words(sentence, input.text, input.token_ranges)),
        traits_(traits_of(sentence)),
        scores_(n_slots, &traits_),
        rows_(n_slots, alignment_.word_of_token, alignment_.n_words, &scores_) {}

  Accumulator* rows() { return &rows_; }
  // Once, when all rows have come.
  void finish() { rows_.finish(); }
  const std::map<RelationKey, RelationScore>& relations(std::size_t slot) const {
    return scores_.scores(slot).relations;
  }

 private:
  // The words, and one more key for the tokens without a word.
  static TokenTraits traits_of(const ConlluSentence& sentence) {
    TokenTraits::Input in;
    in.key_tokens = word_forms(sentence);
    in.key_tokens.emplace_back();
    in.is_special.resize(in.key_tokens.size());
    in.is_special.back() = 1;
    in.is_punctuation.resize(in.key_tokens.size());
    in.n_query = in.key_tokens.size();
    for (const Relation& relation : word_relations(sentence)) {
      in.relations.push_back({relation.name, relation.pairs});
    }
    return TokenTraits(in);
  }

  const WordAlignment alignment_;
  const TokenTraits traits_;
  HeadScoresAccumulator scores_;
  WordRows rows_;
};

}  // namespace

void InputScores::add_to(ScoreTotals* totals) const {
  totals->add_input(hash);
  for (std::size_t s = 0; s < scores.size(); ++s) {
    totals->heads[heads.ids[s]].add(scores[s], first_is_special);
  }
}

InputScores score_input(const OpenedInput& input, const ScoreRequest& request) {
  InputScores out;
  out.heads = select_heads(input, request.selection);
  const std::size_t n_slots = out.heads.slots.size();
  Analysis analysis(*input.rows, out.heads.slots);
  const TokenTraits traits = make_traits(input);
  HeadScoresAccumulator scores(n_slots, &traits, request.variant);
  analysis.attach(&scores);
  std::unique_ptr<WordRelations> words;
  StreamOptions stream;
  try {
    if (request.sentence != nullptr) {
      if (input.is_cross) fail_input("a treebank needs self-attention; this is cross-attention");
      words = std::make_unique<WordRelations>(input, *request.sentence, n_slots);
      analysis.attach(words->rows());
    }
    const BlockPlan blocks = plan_memory(input, analysis, {}, request.resources);
    stream.block_rows = blocks.block_rows;
    stream.n_threads = is_small(analysis) ? 1 : blocks.n_threads;
  } catch (const Error& error) {
    throw error.at(request.place);
  }
  analysis.run(stream);
  check_mapped_files();
  if (words) words->finish();
  for (std::size_t s = 0; s < n_slots; ++s) {
    out.scores.push_back(scores.scores(s));
    if (words) out.scores.back().relations = words->relations(s);
  }
  out.first_is_special = first_is_special(input);
  out.hash = input.hash;
  out.warnings = number_warnings(scores, input, n_slots);
  return out;
}

}  // namespace mha::cli
