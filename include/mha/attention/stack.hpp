// A stack of multi-head attention layers computed from token embeddings.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mha/attention/row_block.hpp"
#include "mha/attention/rule.hpp"

namespace mha {

// Y = X W + b; W (n_in, n_out), b has n_out entries or none.
struct Projection {
  Matrix weight;
  std::vector<float> bias;
};

// Y of the rows of x (n, n_in).
Matrix apply(const Projection& projection, ConstMatrix x, std::size_t n_threads);

// Columns [first, first + count) of W and b.
Projection columns_of(const Projection& projection, std::size_t first, std::size_t count);

// Divides each head of Q or K by its root mean square, times weight (d_head), before positions are
// applied (Qwen3). Empty: no norm.
struct HeadNorm {
  std::vector<float> weight;
  double epsilon = 1e-6;
  bool empty() const { return weight.empty(); }
};

// Normalises each head of x (n, n_heads d_head) in place.
void apply(const HeadNorm& norm, MatrixView x);

// The weights of one layer, with Q, K and V side by side so that one product makes them all.
struct LayerWeights {
  Projection qkv;  // self-attention: (d_model, n_heads d_head + n_kv_heads (d_head + d_value))
  Projection q;    // cross-attention: (d_model, n_heads d_head) ...
  Projection kv;   // ... and (d_context, n_kv_heads (d_head + d_value))
  Projection o;    // (n_heads d_value, d_out); empty: the output is the concatenation itself
  HeadNorm q_norm, k_norm;
};

struct AttentionLayer {
  HeadLayout layout;
  AttentionRule rule;
  LayerWeights weights;

  std::size_t d_out() const {
    return weights.o.weight.empty() ? layout.n_heads * layout.d_value : weights.o.weight.cols();
  }
  // W_V that query head `head` reads: (d_model or d_context, d_value).
  ConstMatrix value_weight(std::size_t head) const;
};

// One layer to compute: its number, its weights, and what it reads.
struct LayerCall {
  std::size_t layer = 0;
  AttentionShape shape;
  const AttentionLayer* weights = nullptr;
  const AttentionRule* rule = nullptr;  // in place of the rule beside the weights; or null
  ConstMatrix x = {};                   // (n_query, d_model)
  const Matrix* context = nullptr;      // cross-attention: (n_key, d_context)
  bool wants_output = true;
  std::span<const std::size_t> ablated_heads = {};  // their outputs are zero
};

// Projects, rotates and attends: the sink gets the rows, the observers of the options what they ask
// for. Returns Y = concat W_O + b_O (n_query, d_out) where it is wanted.
Matrix run_layer(const LayerCall& call, RowSink& sink, const StreamOptions& options);

// One layer and what it reads: all that is needed to compute it apart from its stack.
struct LayerInput {
  AttentionLayer layer;
  Matrix x;                       // (n_query, d_model)
  std::optional<Matrix> context;  // (n_key, d_context): keys and values come from here
  bool residual = false;          // what reads the layer's output gets X added to it
};

// Puts matrices (and their biases, where any part has one) side by side.
Projection side_by_side(std::span<const Projection* const> parts);

// Computes layer after layer: X_(l+1) = Y_l, or Y_l + X_l when residual is set; no norm, no MLP.
class AttentionStack : public RowSource {
 public:
  struct Input {
    Matrix x;                       // (n_query, d_model)
    std::optional<Matrix> context;  // (n_key, d_context): keys and values come from here
    std::vector<AttentionLayer> layers;
    bool residual = false;
  };

  // Throws Error(kInput) when shapes do not fit together, naming the layer.
  explicit AttentionStack(Input input);

  const std::vector<LayerInfo>& layers() const override { return infos_; }
  void stream(RowSink& sink, const StreamOptions& options) const override;

  const Input& input() const { return input_; }
  // A copy of one layer and of what it reads: runs the layers below it.
  LayerInput input_of(std::size_t layer, std::size_t n_threads = 0) const;

 private:
  Input input_;
  std::vector<LayerInfo> infos_;
};

}  // namespace mha
