// The tables of `score` as text.
#pragma once

#include <string>
#include <vector>

#include "score_report.hpp"

namespace mha::cli {

// The columns of the table of heads, and the cells of one head in them. Without `unicode` the bar
// is made of ASCII.
std::vector<std::string> head_columns(const ScoreView& view);
std::vector<std::string> head_cells(const ScoredHead& head, const ScoreView& view,
                                    bool unicode = true);

// A head a line: label, score as a bar, threshold, runner-up, the usual scores.
std::string head_table(const std::vector<ScoredHead>& heads, const ScoreView& view);
// A relation a line: best head, rate, counts, baseline, gain.
std::string relation_table(const std::vector<BestHead>& relations);
std::string coverage_text(const Coverage& coverage);

}  // namespace mha::cli
