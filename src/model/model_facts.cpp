#include "mha/model/model_facts.hpp"

#include "mha/base/text.hpp"
#include "mha/model/model_folder.hpp"

#include "families.hpp"

namespace mha {
namespace {

const char* activation_name(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return "GELU";
    case Activation::kGeluTanh:
      return "GELU (tanh)";
    case Activation::kRelu:
      return "ReLU";
  }
  return "";
}

}  // namespace

ModelFacts describe_model(const ModelConfig& config) {
  const Family& family = find_family(config.model_type);
  ModelFacts out;
  out.family = family_title(config.model_type);
  out.attention = family.is_causal ? "causal" : "bidirectional";
  out.windows = "none";
  out.positions = concat("learned, up to ", count_text(config.max_positions, "token"));
  out.norm = concat("layer norm ", family.is_pre_norm ? "before" : "after",
                    " attention and feed-forward, epsilon ", number_text(config.norm_epsilon));
  out.mlp = concat(config.d_inner, " wide, ", activation_name(config.activation));
  out.n_kv_heads = config.n_heads;
  out.d_head = config.d_head();
  return out;
}

ModelWork model_work(const ModelConfig& config, std::size_t n_tokens) {
  const ModelFacts facts = describe_model(config);
  const std::uint64_t n = n_tokens;
  const std::uint64_t layers = config.n_layers;
  const std::uint64_t width = config.d_model;
  const std::uint64_t of_queries = std::uint64_t{config.n_heads} * facts.d_head;
  const std::uint64_t of_keys = std::uint64_t{facts.n_kv_heads} * facts.d_head;
  ModelWork out;
  out.projections = layers * n * width * (2 * of_queries + 2 * of_keys);
  out.attention = layers * 2 * n * n * of_queries;
  out.feed_forward = layers * n * 2 * width * config.d_inner;
  return out;
}

}  // namespace mha
