// Parameters of torch.nn.MultiheadAttention and torch.nn.TransformerEncoder, as state dicts name
// them: in_proj_weight (or q_proj_weight, k_proj_weight, v_proj_weight), in_proj_bias, bias_k,
// bias_v, out_proj.weight, out_proj.bias; in an encoder layer also linear1, linear2, norm1, norm2.
#pragma once

#include <memory>
#include <vector>

#include "mha/attention/qkv_layers.hpp"
#include "mha/source/tensor_input.hpp"

namespace mha {

bool has_multihead_state(const TensorSource& source);

struct MultiheadInput {
  std::vector<QkvLayer> layers;
  std::vector<std::string> notes;
  std::size_t n_query = 0;
  std::size_t n_context = 0;   // cross-attention: keys and values come from this many tokens
  bool has_extra_key = false;  // bias_k stands after the tokens as one more key
};

// Computes Q, K and V of each layer from X. Layers of an encoder run one after another as PyTorch's
// defaults do (ReLU, norm after the sum). X is the only tensor of options.embeddings, or one of the
// file named x, X, input, inputs, embeddings or hidden_states; a tensor named context or memory
// gives keys and values. Throws Error(kInput).
MultiheadInput open_multihead(const TensorSource& source, const TensorOptions& options);

}  // namespace mha
