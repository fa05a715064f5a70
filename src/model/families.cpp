#include "families.hpp"

#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

// Names follow the classes of Hugging Face's transformers that write these checkpoints.
constexpr ConfigKeys kBertKeys = {
    .n_layers = "num_hidden_layers",
    .n_heads = "num_attention_heads",
    .d_model = "hidden_size",
    .d_inner = "intermediate_size",
    .max_positions = "max_position_embeddings",
    .n_token_types = "type_vocab_size",
    .norm_epsilon = "layer_norm_eps",
    .activation = "hidden_act",
};

const std::vector<FixedValue> kBertFixed = {
    {"position_embedding_type", "\"absolute\""},
    {"is_decoder", "false"},
    {"add_cross_attention", "false"},
};

constexpr LayerNames kBertLayer = {
    .attention_norm = "attention.output.LayerNorm",
    .qkv = "",
    .q = "attention.self.query",
    .k = "attention.self.key",
    .v = "attention.self.value",
    .o = "attention.output.dense",
    .mlp_norm = "output.LayerNorm",
    .up = "intermediate.dense",
    .down = "output.dense",
};

// Megatron-BERT is BERT with the norms before attention and feed-forward.
constexpr LayerNames megatron_layer() {
  LayerNames names = kBertLayer;
  names.attention_norm = "attention.ln";
  names.mlp_norm = "ln";
  return names;
}

constexpr ModelNames kBertNames = {
    .prefix = "bert.",
    .word_embedding = "embeddings.word_embeddings",
    .position_embedding = "embeddings.position_embeddings",
    .type_embedding = "embeddings.token_type_embeddings",
    .embedding_norm = "embeddings.LayerNorm",
    .layers = "encoder.layer.",
    .final_norm = "",
};

constexpr ModelNames megatron_names() {
  ModelNames names = kBertNames;
  names.embedding_norm = "";
  names.final_norm = "encoder.ln";
  return names;
}

Family gpt2() {
  return {
      .model_type = "gpt2",
      .is_causal = true,
      .is_pre_norm = true,
      .weights_are_in_out = true,
      .keys = {.n_layers = "n_layer",
               .n_heads = "n_head",
               .d_model = "n_embd",
               .d_inner = "n_inner",
               .max_positions = "n_positions",
               .n_token_types = "",
               .norm_epsilon = "layer_norm_epsilon",
               .activation = "activation_function"},
      .fixed = {{"scale_attn_weights", "true"},
                {"scale_attn_by_inverse_layer_idx", "false"},
                {"add_cross_attention", "false"}},
      .names = {.prefix = "transformer.",
                .word_embedding = "wte",
                .position_embedding = "wpe",
                .type_embedding = "",
                .embedding_norm = "",
                .layers = "h.",
                .final_norm = "ln_f"},
      .layer = {.attention_norm = "ln_1",
                .qkv = "attn.c_attn",
                .q = "",
                .k = "",
                .v = "",
                .o = "attn.c_proj",
                .mlp_norm = "ln_2",
                .up = "mlp.c_fc",
                .down = "mlp.c_proj"},
  };
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> kFamilies = {
      {"bert", false, false, false, kBertKeys, kBertFixed, kBertNames, kBertLayer},
      {"megatron-bert", false, true, false, kBertKeys, kBertFixed, megatron_names(),
       megatron_layer()},
      gpt2(),
  };
  return kFamilies;
}

const Family& find_family(std::string_view model_type) {
  const auto& all = families();
  const auto found = std::ranges::find(all, model_type, &Family::model_type);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const Family& family : all) names.emplace_back(family.model_type);
  fail_input(concat("/model_type: a family that is not implemented; expected one of ",
                    join(names, ", "), ", got '", model_type, "'"));
}

}  // namespace mha
