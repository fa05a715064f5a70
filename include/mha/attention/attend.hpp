// Scaled dot-product attention of all heads of one layer, in blocks of query rows.
#pragma once

#include "mha/attention/row_block.hpp"
#include "mha/attention/rule.hpp"

namespace mha {

// One layer's queries, keys and values, projected and (where the rule says so) already rotated.
// Head h is columns [h * d, (h + 1) * d) of each matrix.
struct AttentionProblem {
  std::size_t layer = 0;
  AttentionShape shape;
  HeadLayout layout;
  const AttentionRule* rule = nullptr;
  ConstMatrix q;  // (n_query, n_heads * d_head)
  ConstMatrix k;  // (n_key, n_kv_heads * d_head)
  ConstMatrix v;  // (n_key, n_kv_heads * d_value); not read when no output is asked for
};

// Streams A = softmax(mask(softcap(scale Q K^T) + ALiBi + bias) / temperature)) to the sink, block by
// block, and writes A V of head h to columns [h * d_value, (h + 1) * d_value) of `concat`
// (n_query, n_heads * d_value) unless concat.data is null. Holds one block of rows a thread.
// The problem must have passed check_rule.
void attend(const AttentionProblem& problem, RowSink& sink, MatrixView concat,
            const StreamOptions& options);

}  // namespace mha
