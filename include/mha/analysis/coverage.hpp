// Relations over heads: which head is best at each, and what several heads buy over one.
#pragma once

#include <optional>
#include <vector>

#include "mha/analysis/score_totals.hpp"

namespace mha {

// One relation's best head: the highest rate, the first head among equals.
struct BestHead {
  RelationKey relation;
  HeadId head;
  RelationScore score;
};
std::vector<BestHead> best_heads(const ScoreTotals& totals);

// "Why one head is not enough", over the relations that were given (not their reverses):
// one head = max_h mean_r rate(h, r), many heads = mean_r max_h rate(h, r). Means over a layer are
// not heads here.
struct Coverage {
  std::size_t relations = 0;
  HeadId best;
  double one_head = 0;
  double many_heads = 0;
};
// Nothing without relations.
std::optional<Coverage> coverage_of(const ScoreTotals& totals);

}  // namespace mha
