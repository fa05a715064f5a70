// The one name that fits a head best, from its scores and the table of thresholds.
#pragma once

#include <string>
#include <vector>

#include "mha/analysis/head_scores.hpp"

namespace mha {

// A name with how far its score is above (or below) the threshold.
struct LabelCandidate {
  std::string name;  // "previous", "first_token", ..., or a relation: "subject-verb"
  double score = 0;  // the mean, or the rate of a relation
  double threshold = 0;
  double excess() const { return (score - threshold) / (1 - threshold); }
};

struct HeadLabel {
  std::string name;          // of `best`, or "mixed" when no score passes, or "" without any score
  LabelCandidate best;       // the candidate with the largest excess
  LabelCandidate runner_up;  // the next; no name when there is none
  bool is_clear() const { return !name.empty() && name != "mixed"; }
};

// `first_is_special`: the first token of the inputs is a special one; then "first_token" wins over
// "special". Thresholds as default_thresholds(), all of them present. Of equal candidates the
// earlier in that table wins.
HeadLabel label_head(const HeadScores& scores, const std::vector<Threshold>& thresholds,
                     bool first_is_special);

// Relations that reach the rate but have too few rows to label a head.
std::vector<RelationKey> remarked_relations(const HeadScores& scores,
                                            const std::vector<Threshold>& thresholds);

// "previous token" for "previous", "same token" for "self"; other names as they are, with spaces.
std::string label_text(const std::string& name);

}  // namespace mha
