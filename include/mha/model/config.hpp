// What a checkpoint's config.json says about the shape of a transformer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mha/model/layers.hpp"
#include "mha/model/rope_scaling.hpp"

namespace mha {

enum class ModelPositions {
  kLearned,       // a table, read from its first row on
  kAfterPadding,  // a table whose first row in use is pad_id + 1; padding reads row pad_id
                  // (RoBERTa)
  kRope,
};

enum class MlpKind {
  kPlain,  // down(act(up(x)))
  kGated,  // down(act(gate(x)) * up(x))  (Shazeer 2020)
};

struct ModelConfig {
  std::string model_type;  // as config.json names the family: "bert", "gpt2", ...
  std::size_t n_layers = 0;
  std::size_t n_layer_groups =
      0;  // layers with weights of their own: fewer where layers share them
  std::size_t n_heads = 0;
  std::size_t n_kv_heads = 0;
  std::size_t d_head = 0;
  std::size_t d_model = 0;
  std::size_t d_embedding = 0;  // width of the embedding tables; projected to d_model if it differs
  std::size_t d_inner = 0;      // width of the feed-forward part
  std::size_t vocab_size = 0;
  // Tokens that the position table has rows for; with RoPE, the length the model was trained for,
  // which an input may exceed.
  std::size_t max_positions = 0;
  std::size_t n_token_types = 0;  // 0: the model has none
  std::uint32_t pad_id = 0;       // with kAfterPadding

  bool is_causal = false;
  // Norms stand before attention and feed-forward (Xiong et al. 2020), or after their residuals
  // (Vaswani et al. 2017).
  bool is_pre_norm = false;
  NormKind norm = NormKind::kLayerNorm;
  double norm_epsilon = 1e-5;
  bool has_head_norms = false;  // RMS norms of each head's queries and keys (Qwen3)
  MlpKind mlp = MlpKind::kPlain;
  Activation activation = Activation::kGelu;
  ModelPositions positions = ModelPositions::kLearned;
  RopeConfig rope;                                  // with kRope
  std::vector<std::optional<std::size_t>> windows;  // [layer]; none: all earlier tokens
  bool has_qkv_bias = true;
  bool has_o_bias = true;
  bool has_mlp_bias = true;
  bool ties_embeddings = true;  // the table of words is also the matrix of the prediction

  bool has_position_table() const { return positions != ModelPositions::kRope; }
  // Row of the position table that the first token reads, and the rows there are.
  std::size_t first_position() const {
    return positions == ModelPositions::kAfterPadding ? std::size_t{pad_id} + 1 : 0;
  }
  std::size_t position_rows() const { return max_positions + first_position(); }
  // Which group of weights layer `layer` uses.
  std::size_t layer_group(std::size_t layer) const { return layer * n_layer_groups / n_layers; }
};

// Reads config.json. Throws Error(kInput), starting with a JSON pointer or LINE:COLUMN, for a
// family or a value that is not implemented, and for sizes that do not fit together.
ModelConfig read_model_config(std::string_view json);

}  // namespace mha
