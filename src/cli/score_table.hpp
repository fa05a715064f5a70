// The tables of `score` as text.
#pragma once

#include <string>
#include <vector>

#include "score_report.hpp"

namespace mha::cli {

// A head a line: label, score as a bar, threshold, runner-up, the usual scores.
std::string head_table(const std::vector<ScoredHead>& heads, const ScoreView& view);
// A relation a line: best head, rate, counts, baseline, gain.
std::string relation_table(const std::vector<BestHead>& relations);
std::string coverage_text(const Coverage& coverage);

}  // namespace mha::cli
