// Values and head outputs of each layer, for analyses that need more than its rows.
#pragma once

#include <cstddef>

#include "mha/attention/attend.hpp"

namespace mha {

// What a source knows of one layer beside its rows. All views are valid only during the call.
struct LayerValues {
  std::size_t layer = 0;
  AttentionShape shape;
  HeadLayout layout;
  HeadViews v;      // n_kv_heads of (n_key, d_value): x_j W_V + b_V
  ConstMatrix w_o;  // (n_heads d_value, d_out); no data: the output is the concatenation itself

  std::size_t d_out() const {
    return w_o.data == nullptr ? layout.n_heads * layout.d_value : w_o.cols;
  }
  // Rows of W_O that belong to a head (d_value, d_out); no data without W_O.
  ConstMatrix w_o_of(std::size_t head) const {
    return w_o.data == nullptr ? ConstMatrix{}
                               : w_o.row_range(head * layout.d_value, layout.d_value);
  }
};

// Called on the thread that called stream(), layer by layer: before_rows, all rows of the layer to
// the sink, after_rows.
class LayerObserver {
 public:
  virtual ~LayerObserver() = default;
  virtual void before_rows(const LayerValues& values) { (void)values; }
  // Whether after_rows() is to get the head outputs; they cost one more product.
  virtual bool wants_heads() const { return false; }
  // heads: sum_j A[i,j] v_j of all heads side by side (n_query, n_heads d_value), before W_O; no
  // data unless somebody wants them.
  virtual void after_rows(const LayerValues& values, ConstMatrix heads) {
    (void)values, (void)heads;
  }
};

}  // namespace mha
