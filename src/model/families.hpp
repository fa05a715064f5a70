// The families of transformers that can be opened. A new one is one more entry of families().
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mha {

// What config.json calls the sizes. An empty name: the family has no such value.
struct ConfigKeys {
  std::string_view n_layers;
  std::string_view n_heads;
  std::string_view d_model;
  std::string_view d_inner;  // may be absent or null in the file: then 4 d_model
  std::string_view max_positions;
  std::string_view n_token_types;
  std::string_view norm_epsilon;
  std::string_view activation;
};

// A value of config.json that changes the computation and has one form that is implemented. Absent
// means that form.
struct FixedValue {
  std::string_view key;
  std::string_view value;  // as JSON writes it: "true", "\"absolute\""
};

// What the tensors are called, without ".weight" and ".bias". An empty name: there is none.
struct ModelNames {
  std::string_view prefix;  // in front of all names where the checkpoint holds a head, too
  std::string_view word_embedding;
  std::string_view position_embedding;
  std::string_view type_embedding;
  std::string_view embedding_norm;
  std::string_view layers;  // "encoder.layer.": then a number and "."
  std::string_view final_norm;
};

struct LayerNames {
  std::string_view attention_norm;
  std::string_view qkv;  // one tensor for all three, or q, k and v
  std::string_view q, k, v;
  std::string_view o;
  std::string_view mlp_norm;
  std::string_view up;
  std::string_view down;
};

struct Family {
  std::string_view model_type;
  bool is_causal;
  // Norms stand before attention and feed-forward (Xiong et al. 2020), or after their residuals
  // (Vaswani et al. 2017).
  bool is_pre_norm;
  bool weights_are_in_out;  // (inputs, outputs) as in GPT-2's Conv1D; else (outputs, inputs)
  ConfigKeys keys;
  std::vector<FixedValue> fixed;
  ModelNames names;
  LayerNames layer;
};

const std::vector<Family>& families();

// Throws Error(kInput) that names the families there are.
const Family& find_family(std::string_view model_type);

}  // namespace mha
