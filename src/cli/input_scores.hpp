// The scores of all selected heads of one input: what `score` and `compare` add up.
#pragma once

#include <string>
#include <vector>

#include "mha/analysis/score_totals.hpp"
#include "mha/io/conllu.hpp"
#include "mha/source/source.hpp"

#include "options.hpp"
#include "selection.hpp"

namespace mha::cli {

struct ScoreRequest {
  const SelectionOptions& selection;
  const ScoreOptions& variant;
  const ResourceOptions& resources;
  const std::string& place;                  // of the input, for messages
  const ConlluSentence* sentence = nullptr;  // its words and relations, in place of the input's
};

struct InputScores {
  SelectedHeads heads;
  std::vector<HeadScores> scores;  // of each selected head
  bool first_is_special = false;
  std::uint64_t hash = 0;
  std::vector<std::string> warnings;

  void add_to(ScoreTotals* totals) const;
};

// Throws Error(kInput) with the place in front, Error(kUsage) for heads that do not exist.
InputScores score_input(const OpenedInput& input, const ScoreRequest& request);

}  // namespace mha::cli
