// What a Transformer holds: its tensors by name, and the layers where they are small enough.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mha/model/transformer.hpp"

#include "checkpoint.hpp"
#include "families.hpp"

namespace mha {

struct TransformerLayer {
  AttentionLayer attention;
  LayerNorm attention_norm;
  LayerNorm mlp_norm;
  Projection up;
  Projection down;
};

struct Transformer::Parts {
  Parts(ModelConfig config, const Family& family, std::shared_ptr<const TensorSource> weights);

  // From the file, or from those that are kept.
  std::shared_ptr<const TransformerLayer> layer(std::size_t l) const;

  ModelConfig config;
  const Family& family;
  Checkpoint checkpoint;
  FloatStorage words;      // (vocab_size, d_model)
  FloatStorage positions;  // (max_positions, d_model)
  FloatStorage types;      // (n_token_types, d_model), or empty
  LayerNorm embedding_norm;
  LayerNorm final_norm;

 private:
  void check_layers() const;
  std::shared_ptr<const TransformerLayer> read_layer(std::size_t l) const;
  AttentionLayer read_attention(const std::string& place) const;

  std::vector<std::shared_ptr<const TransformerLayer>> kept_;  // all of a small model, or none
};

}  // namespace mha
