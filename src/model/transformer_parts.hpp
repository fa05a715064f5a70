// What a Transformer holds: its tensors by name, and the layers where they are small enough.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mha/model/transformer.hpp"

#include "checkpoint.hpp"
#include "families.hpp"

namespace mha {

struct TransformerLayer {
  AttentionLayer attention;
  Norm attention_norm;
  Norm mlp_norm;
  std::optional<Linear> gate;
  Linear up;
  Linear down;
};

struct Transformer::Parts {
  Parts(ModelConfig config, const Family& family, std::shared_ptr<const TensorSource> weights);

  // From the file, or from those that are kept; from the file what stands behind the attention is
  // read only when the layer's output is wanted. Of layers that share their weights the mask may be
  // that of another one.
  std::shared_ptr<const TransformerLayer> layer(std::size_t l, bool wants_output,
                                                std::size_t n_threads) const;
  // Weights without its norms and feed-forward part.
  Norm attention_norm(std::size_t l) const;
  AttentionLayer read_attention(std::size_t l, std::size_t n_threads) const;

  ModelConfig config;
  const Family& family;
  Checkpoint checkpoint;
  Norm embedding_norm;
  Norm final_norm;
  std::optional<Linear> embedding_projection;
  bool can_predict = false;

 private:
  void use_embeddings();
  void use_layer(const std::string& place);
  void use_attention(const std::string& place);
  void use_prediction();
  std::size_t first_layer(std::size_t group) const;
  std::string place(std::size_t l) const;  // in front of the names of a layer's tensors
  LinearShape q_shape() const;
  LinearShape kv_shape() const;
  LinearShape o_shape() const;
  LinearShape up_shape() const;
  LinearShape down_shape() const;
  Norm norm(const std::string& name) const;
  HeadNorm head_norm(const std::string& name) const;
  double layer_bytes() const;
  std::shared_ptr<const TransformerLayer> read_layer(std::size_t l, bool wants_output,
                                                     std::size_t n_threads) const;

  std::vector<std::shared_ptr<const TransformerLayer>> kept_;  // [group] of a small model, or none
};

}  // namespace mha
