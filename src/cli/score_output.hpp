// The scores of heads in JSON, the same in summary.json and in what `score` prints.
#pragma once

#include <array>

#include "mha/analysis/head_label.hpp"
#include "mha/analysis/score_totals.hpp"
#include "mha/report/json_writer.hpp"
#include "mha/source/source.hpp"

#include "selection.hpp"

namespace mha::cli {

// The token traits of an input, special tokens and punctuation recognised by their text.
TokenTraits make_traits(const OpenedInput& input);
// Whether the first key is a special token.
bool first_is_special(const OpenedInput& input);

struct ScoredHead {
  std::string name;  // "L4H11"
  const HeadScores& scores;
  HeadLabel label;
  std::vector<RelationKey> remarks;                         // relations with too few rows to label
  const std::array<Spread, kMeanScores>* spread = nullptr;  // over several inputs
};

// One input's head with its label by the default thresholds.
ScoredHead scored_head(const OpenedInput& input, const std::string& name, const HeadScores& scores);

// The clear labels of the selected heads as people read them, "" for the others.
std::vector<std::string> label_texts(const OpenedInput& input, const HeadScoresAccumulator& scores,
                                     std::size_t n_heads);

// The scores of one input as totals over inputs.
ScoreTotals totals_of(const OpenedInput& input, const SelectedHeads& heads,
                      const HeadScoresAccumulator& scores);

// "subject-verb 2 of 2 rows, too few to label".
std::vector<std::string> remark_texts(const ScoredHead& head);

// Members of one head's object: "head", "label", every score, cell counts.
void write_head_members(const ScoredHead& head, JsonWriter* writer);

// Members "rate", "right", "rows", and the baseline with the gain over it where there is one.
void write_relation_score(const RelationScore& score, JsonWriter* writer);

// Member "formulas" (name to formula, source and unit) and "thresholds".
void write_score_formulas(const std::vector<Threshold>& thresholds, JsonWriter* writer);

}  // namespace mha::cli
