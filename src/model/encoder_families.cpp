#include "family_tables.hpp"

namespace mha {
namespace {

Family bert() {
  return {
      .model_type = "bert",
      .title = "BERT",
      .traits = {.d_inner = 3072},
      .keys = {.n_layers = "num_hidden_layers",
               .n_heads = "num_attention_heads",
               .n_kv_heads = "",
               .d_head = "",
               .d_model = "hidden_size",
               .d_embedding = "",
               .d_inner = "intermediate_size",
               .max_positions = "max_position_embeddings",
               .n_token_types = "type_vocab_size",
               .norm_epsilon = "layer_norm_eps",
               .activation = "hidden_act",
               .attention_bias = "",
               .mlp_bias = ""},
      .fixed = {{"position_embedding_type", "\"absolute\""},
                {"is_decoder", "false"},
                {"add_cross_attention", "false"}},
      .names = {.prefix = "bert.",
                .word_embedding = "embeddings.word_embeddings",
                .position_embedding = "embeddings.position_embeddings",
                .type_embedding = "embeddings.token_type_embeddings",
                .embedding_norm = "embeddings.LayerNorm",
                .embedding_projection = "",
                .layers = "encoder.layer.",
                .final_norm = ""},
      .layer = {.attention_norm = "attention.output.LayerNorm",
                .qkv = "",
                .q = "attention.self.query",
                .k = "attention.self.key",
                .v = "attention.self.value",
                .q_norm = "",
                .k_norm = "",
                .o = "attention.output.dense",
                .mlp_norm = "output.LayerNorm",
                .gate = "",
                .up = "intermediate.dense",
                .down = "output.dense"},
      .head = {.dense = "cls.predictions.transform.dense",
               .norm = "cls.predictions.transform.LayerNorm",
               .decoder = "cls.predictions.decoder",
               .bias = "cls.predictions.bias"},
  };
}

// BERT with the norms before attention and feed-forward.
Family megatron_bert() {
  Family family = bert();
  family.model_type = "megatron-bert";
  family.title = "Megatron-BERT";
  family.traits.is_pre_norm = true;
  family.names.embedding_norm = "";
  family.names.final_norm = "encoder.ln";
  family.layer.attention_norm = "attention.ln";
  family.layer.mlp_norm = "ln";
  return family;
}

// BERT whose positions count from the padding token's id on.
Family roberta(std::string_view model_type, std::string_view title) {
  Family family = bert();
  family.model_type = model_type;
  family.title = title;
  family.traits.positions = ModelPositions::kAfterPadding;
  family.names.prefix = "roberta.";
  family.head = {.dense = "lm_head.dense",
                 .norm = "lm_head.layer_norm",
                 .decoder = "lm_head.decoder",
                 .bias = "lm_head.bias",
                 .uses_gelu = true};
  return family;
}

// BERT with narrow embeddings that are projected to d_model.
Family electra() {
  Family family = bert();
  family.model_type = "electra";
  family.title = "ELECTRA";
  family.traits.d_inner = 1024;
  family.traits.d_embedding = 128;
  family.keys.d_embedding = "embedding_size";
  family.names.prefix = "electra.";
  family.names.embedding_projection = "embeddings_project";
  family.head = {.dense = "generator_predictions.dense",
                 .norm = "generator_predictions.LayerNorm",
                 .decoder = "generator_lm_head",
                 .bias = "generator_lm_head.bias",
                 .uses_gelu = true};
  return family;
}

Family albert() {
  Family family = electra();
  family.model_type = "albert";
  family.title = "ALBERT";
  family.traits.shares_layers = true;
  family.traits.activation = Activation::kGeluTanh;
  family.traits.d_inner = 16384;
  family.fixed.push_back({"inner_group_num", "1"});
  family.names.prefix = "albert.";
  family.names.embedding_projection = "encoder.embedding_hidden_mapping_in";
  family.names.layers = "encoder.albert_layer_groups.";
  family.names.layer_end = ".albert_layers.0.";
  family.layer = {.attention_norm = "attention.LayerNorm",
                  .qkv = "",
                  .q = "attention.query",
                  .k = "attention.key",
                  .v = "attention.value",
                  .q_norm = "",
                  .k_norm = "",
                  .o = "attention.dense",
                  .mlp_norm = "full_layer_layer_norm",
                  .gate = "",
                  .up = "ffn",
                  .down = "ffn_output"};
  family.head = {.dense = "predictions.dense",
                 .norm = "predictions.LayerNorm",
                 .decoder = "predictions.decoder",
                 .bias = "predictions.bias"};
  return family;
}

Family distilbert() {
  Family family = bert();
  family.model_type = "distilbert";
  family.title = "DistilBERT";
  family.keys.n_layers = "n_layers";
  family.keys.n_heads = "n_heads";
  family.keys.d_model = "dim";
  family.keys.d_inner = "hidden_dim";
  family.keys.n_token_types = "";
  family.keys.norm_epsilon = "";
  family.keys.activation = "activation";
  family.fixed.clear();
  family.names.prefix = "distilbert.";
  family.names.type_embedding = "";
  family.names.layers = "transformer.layer.";
  family.layer = {.attention_norm = "sa_layer_norm",
                  .qkv = "",
                  .q = "attention.q_lin",
                  .k = "attention.k_lin",
                  .v = "attention.v_lin",
                  .q_norm = "",
                  .k_norm = "",
                  .o = "attention.out_lin",
                  .mlp_norm = "output_layer_norm",
                  .gate = "",
                  .up = "ffn.lin1",
                  .down = "ffn.lin2"};
  family.head = {.dense = "vocab_transform",
                 .norm = "vocab_layer_norm",
                 .decoder = "vocab_projector",
                 .bias = "vocab_projector.bias"};
  return family;
}

}  // namespace

std::vector<Family> encoder_families() {
  return {bert(),
          megatron_bert(),
          roberta("roberta", "RoBERTa"),
          roberta("xlm-roberta", "XLM-RoBERTa"),
          roberta("camembert", "CamemBERT"),
          distilbert(),
          electra(),
          albert()};
}

}  // namespace mha
