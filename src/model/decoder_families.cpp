#include "family_tables.hpp"

namespace mha {
namespace {

Family gpt2() {
  return {
      .model_type = "gpt2",
      .title = "GPT-2",
      .weights_are_in_out = true,
      .traits = {.is_causal = true,
                 .is_pre_norm = true,
                 .activation = Activation::kGeluTanh,
                 .norm_epsilon = 1e-5},
      .keys = {.n_layers = "n_layer",
               .n_heads = "n_head",
               .n_kv_heads = "",
               .d_head = "",
               .d_model = "n_embd",
               .d_embedding = "",
               .d_inner = "n_inner",
               .max_positions = "n_positions",
               .n_token_types = "",
               .norm_epsilon = "layer_norm_epsilon",
               .activation = "activation_function",
               .attention_bias = "",
               .mlp_bias = ""},
      .fixed = {{"scale_attn_weights", "true"},
                {"scale_attn_by_inverse_layer_idx", "false"},
                {"add_cross_attention", "false"}},
      .names = {.prefix = "transformer.",
                .word_embedding = "wte",
                .position_embedding = "wpe",
                .type_embedding = "",
                .embedding_norm = "",
                .embedding_projection = "",
                .layers = "h.",
                .final_norm = "ln_f"},
      .layer = {.attention_norm = "ln_1",
                .qkv = "attn.c_attn",
                .q = "",
                .k = "",
                .v = "",
                .q_norm = "",
                .k_norm = "",
                .o = "attn.c_proj",
                .mlp_norm = "ln_2",
                .gate = "",
                .up = "mlp.c_fc",
                .down = "mlp.c_proj"},
      .head = {.dense = "", .norm = "", .decoder = "lm_head", .bias = ""},
  };
}

Family llama() {
  return {
      .model_type = "llama",
      .title = "Llama",
      .traits = {.is_causal = true,
                 .is_pre_norm = true,
                 .norm = NormKind::kRms,
                 .mlp = MlpKind::kGated,
                 .positions = ModelPositions::kRope,
                 .has_qkv_bias = false,
                 .has_o_bias = false,
                 .has_mlp_bias = false,
                 .ties_embeddings = false,
                 .activation = Activation::kSilu,
                 .norm_epsilon = 1e-6,
                 .d_inner = 11008},
      .keys = {.n_layers = "num_hidden_layers",
               .n_heads = "num_attention_heads",
               .n_kv_heads = "num_key_value_heads",
               .d_head = "head_dim",
               .d_model = "hidden_size",
               .d_embedding = "",
               .d_inner = "intermediate_size",
               .max_positions = "max_position_embeddings",
               .n_token_types = "",
               .norm_epsilon = "rms_norm_eps",
               .activation = "hidden_act",
               .attention_bias = "attention_bias",
               .mlp_bias = "mlp_bias"},
      .fixed = {{"partial_rotary_factor", "1"}},
      .names = {.prefix = "model.",
                .word_embedding = "embed_tokens",
                .position_embedding = "",
                .type_embedding = "",
                .embedding_norm = "",
                .embedding_projection = "",
                .layers = "layers.",
                .final_norm = "norm"},
      .layer = {.attention_norm = "input_layernorm",
                .qkv = "",
                .q = "self_attn.q_proj",
                .k = "self_attn.k_proj",
                .v = "self_attn.v_proj",
                .q_norm = "",
                .k_norm = "",
                .o = "self_attn.o_proj",
                .mlp_norm = "post_attention_layernorm",
                .gate = "mlp.gate_proj",
                .up = "mlp.up_proj",
                .down = "mlp.down_proj"},
      .head = {.dense = "", .norm = "", .decoder = "lm_head", .bias = ""},
  };
}

Family mistral() {
  Family family = llama();
  family.model_type = "mistral";
  family.title = "Mistral";
  family.traits.windows = WindowRule::kAllLayers;
  family.traits.needs_kv_heads = true;
  family.traits.d_inner = 14336;
  family.keys.attention_bias = "";
  family.keys.mlp_bias = "";
  return family;
}

// Queries, keys and values have biases, the output none; windows in some layers.
Family qwen2() {
  Family family = mistral();
  family.model_type = "qwen2";
  family.title = "Qwen2";
  family.traits.windows = WindowRule::kSomeLayers;
  family.traits.has_qkv_bias = true;
  family.traits.d_inner = 22016;
  family.fixed.push_back({"use_mrope", "false"});
  return family;
}

// Each head's queries and keys are normed before they are rotated.
Family qwen3() {
  Family family = qwen2();
  family.model_type = "qwen3";
  family.title = "Qwen3";
  family.traits.has_qkv_bias = false;
  family.traits.has_head_norms = true;
  family.traits.d_head = 128;
  family.keys.attention_bias = "attention_bias";
  family.layer.q_norm = "self_attn.q_norm";
  family.layer.k_norm = "self_attn.k_norm";
  return family;
}

}  // namespace

std::vector<Family> decoder_families() {
  return {gpt2(), llama(), mistral(), qwen2(), qwen3()};
}

}  // namespace mha
