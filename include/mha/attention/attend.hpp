// Scaled dot-product attention of all heads of one layer, in blocks of query rows.
#pragma once

#include "mha/attention/row_block.hpp"
#include "mha/attention/rule.hpp"

namespace mha {

// One matrix for each head, (rows, width): row i of head h starts at
// data + h * head_stride + i * row_stride.
struct HeadViews {
  const float* data = nullptr;
  std::size_t rows = 0;
  std::size_t width = 0;
  std::size_t row_stride = 0;
  std::size_t head_stride = 0;

  ConstMatrix head(std::size_t h) const {
    return {data + h * head_stride, rows, width, row_stride};
  }
};

// Heads side by side: head h is columns [h * width, (h + 1) * width) of m.
inline HeadViews heads_in_columns(ConstMatrix m, std::size_t width) {
  return {m.data, m.rows, width, m.stride, width};
}

// Copies heads side by side, one row a token.
Matrix in_columns(const HeadViews& heads, std::size_t n_heads);

// One layer's queries, keys and values, projected and (where the rule says so) already rotated.
struct AttentionProblem {
  std::size_t layer = 0;
  AttentionShape shape;
  HeadLayout layout;
  const AttentionRule* rule = nullptr;
  HeadViews q;  // n_heads of (n_query, d_head)
  HeadViews k;  // n_kv_heads of (n_key, d_head)
  HeadViews v;  // n_kv_heads of (n_key, d_value); not read when no output is asked for
};

// Streams A = softmax(mask(softcap(scale Q K^T) + ALiBi + bias) / temperature)) to the sink, block
// by block, and writes A V of head h to columns [h * d_value, (h + 1) * d_value) of `concat`
// (n_query, n_heads * d_value) unless concat.data is null. Holds one block of rows a thread, or,
// for a sink that asks for pooled columns, one tile of scores and the pooled cells of a block. The
// problem must have passed check_rule.
void attend(const AttentionProblem& problem, RowSink& sink, MatrixView concat,
            const StreamOptions& options);

}  // namespace mha
