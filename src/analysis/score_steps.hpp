// From queries and keys to softmax weights, one matrix a step.
#pragma once

#include "mha/analysis/walkthrough.hpp"

namespace mha {

// Adds S = Q K^T and what the rule makes of it, down to the weights, to a walkthrough whose rule,
// shape and bias are set. q (n_query, d_head), k (n_key, d_head).
void add_score_steps(ConstMatrix q, ConstMatrix k, Walkthrough* walk);

// The same from finished scores: minus infinity hides a cell.
void add_known_scores(const Matrix& scores, Walkthrough* walk);

}  // namespace mha
