// A transformer from a checkpoint: its embeddings, and its layers with their weights.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mha/attention/stack.hpp"
#include "mha/model/config.hpp"
#include "mha/tensor/tensor.hpp"

namespace mha {

// What a transformer reads. token_types and valid_keys have an entry for each id, or are empty:
// all tokens of type 0, none of them padding.
struct ModelInput {
  std::vector<std::uint32_t> ids;
  std::vector<std::uint8_t> token_types;
  std::vector<std::uint8_t> valid_keys;  // 0 = padding
};

// Heads by layer whose output is zero in the forward pass; empty: none.
using AblatedHeads = std::vector<std::vector<std::size_t>>;

// Immutable; one instance serves any number of inputs and threads.
class Transformer {
 public:
  // Reads config.json and finds all tensors in `weights`. Throws Error(kInput) for a family or a
  // value that is not implemented, and for a tensor that is missing or has another shape.
  static std::shared_ptr<const Transformer> open(std::string_view config_json,
                                                 std::shared_ptr<const TensorSource> weights);
  ~Transformer();

  const ModelConfig& config() const;
  std::string_view family() const;                  // for people: "GPT-2"
  std::vector<std::string> unused_tensors() const;  // what the file holds beside the model

  // Weights of one attention layer and its rule for n_tokens tokens, without padding.
  AttentionLayer attention(std::size_t layer, std::size_t n_tokens) const;

  // Whether the checkpoint says how to score words: the next one in causal models, the one at the
  // same place in the others.
  bool can_predict() const;
  // The scores before softmax (rows, vocab_size) of rows of the last hidden state (rows, d_model).
  Matrix logits(ConstMatrix hidden, std::size_t n_threads) const;

 private:
  friend class TransformerRows;
  struct Parts;
  explicit Transformer(std::unique_ptr<const Parts> parts);
  std::unique_ptr<const Parts> parts_;
};

// One input run through a transformer, as a source of attention rows. Outputs are hidden states:
// what leaves each layer, after the last one with the final norm where the model has one.
class TransformerRows : public RowSource {
 public:
  // Throws Error(kInput) for an id beyond the vocabulary, for more tokens than the position table
  // has rows, and for a head to ablate that the model does not have.
  TransformerRows(std::shared_ptr<const Transformer> model, ModelInput input,
                  AblatedHeads ablated = {});
  ~TransformerRows() override;

  const std::vector<LayerInfo>& layers() const override { return infos_; }
  void stream(RowSink& sink, const StreamOptions& options) const override;

  const Transformer& model() const { return *model_; }
  const std::shared_ptr<const Transformer>& shared_model() const { return model_; }
  const ModelInput& input() const { return input_; }
  const AblatedHeads& ablated() const { return ablated_; }  // an entry for each layer
  // A copy of one attention layer and of what it reads: runs the layers below it. X is the hidden
  // state, after the norm in front of the attention where the model has one there. Ablated heads
  // have rows of zeros in W_O.
  LayerInput input_of(std::size_t layer, std::size_t n_threads = 0) const;

 private:
  Matrix embed(std::size_t n_threads) const;
  AttentionRule rule_of(std::size_t layer) const;
  void run_layer(std::size_t layer, bool wants_output, Matrix* x, RowSink& sink,
                 const StreamOptions& options) const;

  std::shared_ptr<const Transformer> model_;
  ModelInput input_;
  AblatedHeads ablated_;
  std::vector<MaskRule> masks_;  // [layer]
  std::vector<LayerInfo> infos_;
};

}  // namespace mha
