// The families of transformers that can be opened. A new one is one more entry of families().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mha/model/config.hpp"

namespace mha {

// What config.json calls the sizes. An empty name: the family has no such value.
struct ConfigKeys {
  std::string_view n_layers;
  std::string_view n_heads;
  std::string_view n_kv_heads;
  std::string_view d_head;
  std::string_view d_model;
  std::string_view d_embedding;
  std::string_view d_inner;
  std::string_view max_positions;
  std::string_view n_token_types;
  std::string_view norm_epsilon;
  std::string_view activation;
  std::string_view attention_bias;  // of queries, keys, values and, with it, of the output
  std::string_view mlp_bias;
};

// A value of config.json that changes the computation and has one form that is implemented. Absent
// or null means that form.
struct FixedValue {
  std::string_view key;
  std::string_view value;  // as JSON writes it: "true", "\"absolute\"", "1"
};

// Where the windows of the layers come from.
enum class WindowRule {
  kNone,
  kAllLayers,   // sliding_window; absent means 4096, null none (Mistral)
  kSomeLayers,  // use_sliding_window, then layer_types, or the layers from max_window_layers on
};

// What all models of a family have in common.
struct FamilyTraits {
  bool is_causal = false;
  bool is_pre_norm = false;
  NormKind norm = NormKind::kLayerNorm;
  MlpKind mlp = MlpKind::kPlain;
  ModelPositions positions = ModelPositions::kLearned;
  bool has_qkv_bias = true;  // unless a key of config.json decides
  bool has_o_bias = true;
  bool has_mlp_bias = true;
  bool has_head_norms = false;
  bool ties_embeddings = true;  // where config.json is silent
  bool shares_layers = false;   // num_hidden_groups (ALBERT)
  WindowRule windows = WindowRule::kNone;
  // Where config.json is silent.
  Activation activation = Activation::kGelu;
  double norm_epsilon = 1e-12;
  std::size_t d_inner = 0;      // 0: four times d_model
  std::size_t d_embedding = 0;  // 0: d_model
  std::size_t d_head = 0;       // 0: d_model over heads
  bool needs_kv_heads = false;  // else as many as heads
};

// What the tensors are called, without ".weight" and ".bias". An empty name: there is none.
struct ModelNames {
  std::string_view prefix;  // in front of all names where the checkpoint holds a head, too
  std::string_view word_embedding;
  std::string_view position_embedding;
  std::string_view type_embedding;
  std::string_view embedding_norm;
  std::string_view embedding_projection;  // where d_embedding is not d_model
  std::string_view layers;                // "encoder.layer.": then a number and layer_end
  std::string_view layer_end = ".";
  std::string_view final_norm;
};

struct LayerNames {
  std::string_view attention_norm;
  std::string_view qkv;  // one tensor for all three, or q, k and v
  std::string_view q, k, v;
  std::string_view q_norm, k_norm;
  std::string_view o;
  std::string_view mlp_norm;
  std::string_view gate;
  std::string_view up;
  std::string_view down;
};

// From the last hidden state to a score for each word: decoder(norm(act(dense(x)))) + bias. These
// names have no prefix.
struct HeadNames {
  std::string_view dense;
  std::string_view norm;
  std::string_view decoder;  // absent in a checkpoint that ties it to the table of words
  std::string_view bias;     // a whole name: "cls.predictions.bias"
  bool uses_gelu = false;    // whatever the activation of the layers
};

struct Family {
  std::string_view model_type;
  std::string_view title;  // for people: "BERT"
  bool weights_are_in_out =
      false;  // (inputs, outputs) as in GPT-2's Conv1D; else (outputs, inputs)
  FamilyTraits traits;
  ConfigKeys keys;
  std::vector<FixedValue> fixed;
  ModelNames names;
  LayerNames layer;
  HeadNames head;
};

const std::vector<Family>& families();

// Throws Error(kInput) that names the families there are.
const Family& find_family(std::string_view model_type);

}  // namespace mha
