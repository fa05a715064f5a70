#include "mha/model/model_facts.hpp"

#include <vector>

#include "mha/base/text.hpp"

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
    case Activation::kSilu:
      return "SiLU";
  }
  return "";
}

std::string scaling_text(const RopeConfig& rope) {
  const RopeScaling& scaling = rope.scaling;
  const std::string factor = number_text(scaling.factor);
  switch (scaling.kind) {
    case RopeScaling::Kind::kNone:
      return "";
    case RopeScaling::Kind::kLinear:
      return ", scaled linearly by " + factor;
    case RopeScaling::Kind::kDynamic:
      return ", scaled dynamically by " + factor;
    case RopeScaling::Kind::kLlama3:
      return ", scaled as in Llama 3 by " + factor;
    case RopeScaling::Kind::kYarn:
      return ", scaled by YaRN by " + factor;
  }
  return "";
}

std::string positions_text(const ModelConfig& config) {
  const std::string length = count_text(config.max_positions, "token");
  if (config.has_position_table()) return "learned, up to " + length;
  return concat("RoPE, theta ", number_text(config.rope.theta), scaling_text(config.rope),
                ", trained for ", length);
}

// "4096 in all layers", "4096 in layers 2-5, 7"
std::string windows_text(const ModelConfig& config) {
  std::vector<std::string> layers;
  std::size_t n_windowed = 0;
  std::size_t width = 0;
  for (std::size_t l = 0; l < config.n_layers; ++l) {
    if (!config.windows[l]) continue;
    std::size_t last = l;
    while (last + 1 < config.n_layers && config.windows[last + 1]) ++last;
    layers.push_back(last == l ? std::to_string(l) : concat(l, "-", last));
    n_windowed += last - l + 1;
    width = *config.windows[l];
    l = last;
  }
  if (layers.empty()) return "none";
  if (n_windowed == config.n_layers) return concat(width, " in all layers");
  return concat(width, n_windowed == 1 ? " in layer " : " in layers ", join(layers, ", "));
}

std::string norm_text(const ModelConfig& config) {
  return concat(config.norm == NormKind::kRms ? "RMS norm " : "layer norm ",
                config.is_pre_norm ? "before" : "after", " attention and feed-forward, epsilon ",
                number_text(config.norm_epsilon),
                config.has_head_norms ? "; queries and keys normed too" : "");
}

}  // namespace

ModelFacts describe_model(const ModelConfig& config) {
  ModelFacts out;
  out.family = find_family(config.model_type).title;
  out.attention = config.is_causal ? "causal" : "bidirectional";
  out.windows = windows_text(config);
  out.positions = positions_text(config);
  out.norm = norm_text(config);
  out.mlp = concat(config.d_inner, " wide, ", config.mlp == MlpKind::kGated ? "gated by " : "",
                   activation_name(config.activation));
  if (config.n_layer_groups != config.n_layers) {
    out.mlp += concat("; ", count_text(config.n_layer_groups, "layer"), " of weights for ",
                      config.n_layers);
  }
  return out;
}

ModelWork model_work(const ModelConfig& config, std::size_t n_tokens) {
  const std::uint64_t n = n_tokens;
  const std::uint64_t layers = config.n_layers;
  const std::uint64_t width = config.d_model;
  const std::uint64_t of_queries = std::uint64_t{config.n_heads} * config.d_head;
  const std::uint64_t of_keys = std::uint64_t{config.n_kv_heads} * config.d_head;
  const std::uint64_t n_wide = config.mlp == MlpKind::kGated ? 3 : 2;
  ModelWork out;
  out.projections = layers * n * width * (2 * of_queries + 2 * of_keys);
  out.attention = layers * 2 * n * n * of_queries;
  out.feed_forward = layers * n * n_wide * width * config.d_inner;
  return out;
}

}  // namespace mha
