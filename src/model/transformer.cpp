#include "mha/model/transformer.hpp"

#include <string>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "transformer_parts.hpp"

namespace mha {
namespace {

// A model whose layers take no more than this is read once and kept; of a larger one each layer is
// read when it is needed and dropped after use.
constexpr double kKeptBytes = 64e6;

std::string name_in(const std::string& place, std::string_view name) {
  return place + std::string(name);
}

}  // namespace

Transformer::Parts::Parts(ModelConfig model_config, const Family& model_family,
                          std::shared_ptr<const TensorSource> weights)
    : config(std::move(model_config)),
      family(model_family),
      checkpoint(std::move(weights), family.names.prefix, family.weights_are_in_out) {
  const ModelNames& names = family.names;
  // Every tensor is looked for before the work starts. Layers may share weights: how many layers
  // there are is a number of config.json, how many have weights is what the file holds.
  for (std::size_t g = 0; g < config.n_layer_groups; ++g) use_layer(place(first_layer(g)));
  use_embeddings();
  use_prediction();
  checkpoint.check_all_there();
  if (!names.embedding_norm.empty()) {
    embedding_norm = norm(checkpoint.full_name(names.embedding_norm));
  }
  if (!names.final_norm.empty()) final_norm = norm(checkpoint.full_name(names.final_norm));
  if (!names.embedding_projection.empty() && config.d_embedding != config.d_model) {
    embedding_projection = checkpoint.linear(checkpoint.full_name(names.embedding_projection),
                                             {config.d_embedding, config.d_model}, 1);
  }
  if (layer_bytes() * static_cast<double>(config.n_layer_groups) > kKeptBytes) return;
  for (std::size_t g = 0; g < config.n_layer_groups; ++g) {
    kept_.push_back(read_layer(first_layer(g), true, 1));
  }
}

// Of a group of layers with the same weights.
std::size_t Transformer::Parts::first_layer(std::size_t group) const {
  return group * (config.n_layers / config.n_layer_groups);
}

double Transformer::Parts::layer_bytes() const {
  const auto d_model = static_cast<double>(config.d_model);
  const auto d_head = static_cast<double>(config.d_head);
  const auto n_heads = static_cast<double>(2 * (config.n_heads + config.n_kv_heads));
  const double n_wide = config.mlp == MlpKind::kGated ? 3 : 2;
  return 4 * d_model * (n_heads * d_head + n_wide * static_cast<double>(config.d_inner));
}

std::string Transformer::Parts::place(std::size_t l) const {
  const ModelNames& names = family.names;
  return concat(checkpoint.full_name(names.layers), config.layer_group(l), names.layer_end);
}

LinearShape Transformer::Parts::q_shape() const {
  return {config.d_model, config.n_heads * config.d_head, config.has_qkv_bias};
}

LinearShape Transformer::Parts::kv_shape() const {
  return {config.d_model, config.n_kv_heads * config.d_head, config.has_qkv_bias};
}

LinearShape Transformer::Parts::o_shape() const {
  return {config.n_heads * config.d_head, config.d_model, config.has_o_bias};
}

LinearShape Transformer::Parts::up_shape() const {
  return {config.d_model, config.d_inner, config.has_mlp_bias};
}

LinearShape Transformer::Parts::down_shape() const {
  return {config.d_inner, config.d_model, config.has_mlp_bias};
}

void Transformer::Parts::use_embeddings() {
  const ModelNames& names = family.names;
  const std::size_t width = config.d_embedding;
  const auto full = [&](std::string_view name) { return checkpoint.full_name(name); };
  checkpoint.use_table(full(names.word_embedding), config.vocab_size, width);
  if (config.has_position_table()) {
    checkpoint.use_table(full(names.position_embedding), config.position_rows(), width);
  }
  if (config.n_token_types != 0) {
    checkpoint.use_table(full(names.type_embedding), config.n_token_types, width);
  }
  if (!names.embedding_norm.empty()) {
    checkpoint.use_norm(full(names.embedding_norm), config.norm, width);
  }
  if (!names.final_norm.empty()) {
    checkpoint.use_norm(full(names.final_norm), config.norm, config.d_model);
  }
  if (width == config.d_model) return;
  checkpoint.use_linear(full(names.embedding_projection), {width, config.d_model});
}

void Transformer::Parts::use_attention(const std::string& place) {
  const LayerNames& names = family.layer;
  if (!names.qkv.empty()) {
    const LinearShape all{config.d_model, 3 * config.d_model, config.has_qkv_bias};
    checkpoint.use_linear(name_in(place, names.qkv), all);
  } else {
    checkpoint.use_linear(name_in(place, names.q), q_shape());
    checkpoint.use_linear(name_in(place, names.k), kv_shape());
    checkpoint.use_linear(name_in(place, names.v), kv_shape());
  }
  checkpoint.use_linear(name_in(place, names.o), o_shape());
  if (!config.has_head_norms) return;
  checkpoint.use_norm(name_in(place, names.q_norm), NormKind::kRms, config.d_head);
  checkpoint.use_norm(name_in(place, names.k_norm), NormKind::kRms, config.d_head);
}

void Transformer::Parts::use_layer(const std::string& place) {
  const LayerNames& names = family.layer;
  use_attention(place);
  checkpoint.use_norm(name_in(place, names.attention_norm), config.norm, config.d_model);
  checkpoint.use_norm(name_in(place, names.mlp_norm), config.norm, config.d_model);
  if (config.mlp == MlpKind::kGated) {
    checkpoint.use_linear(name_in(place, names.gate), up_shape());
  }
  checkpoint.use_linear(name_in(place, names.up), up_shape());
  checkpoint.use_linear(name_in(place, names.down), down_shape());
}

std::shared_ptr<const TransformerLayer> Transformer::Parts::layer(std::size_t l, bool wants_output,
                                                                  std::size_t n_threads) const {
  return kept_.empty() ? read_layer(l, wants_output, n_threads) : kept_[config.layer_group(l)];
}

Norm Transformer::Parts::norm(const std::string& name) const {
  return checkpoint.norm(name, config.norm, config.norm_epsilon);
}

Norm Transformer::Parts::attention_norm(std::size_t l) const {
  return norm(name_in(place(l), family.layer.attention_norm));
}

HeadNorm Transformer::Parts::head_norm(const std::string& name) const {
  return {checkpoint.vector(name + ".weight"), config.norm_epsilon};
}

AttentionLayer Transformer::Parts::read_attention(std::size_t l, std::size_t n_threads) const {
  const LayerNames& names = family.layer;
  const std::string in = place(l);
  AttentionLayer out;
  out.layout = {config.n_heads, config.n_kv_heads, config.d_head, config.d_head};
  out.rule.mask.causal = config.is_causal;
  out.rule.mask.window = config.windows[l];
  std::vector<NamedLinear> parts;
  if (!names.qkv.empty()) {
    parts = {{name_in(in, names.qkv), {config.d_model, 3 * config.d_model, config.has_qkv_bias}}};
  } else {
    parts = {{name_in(in, names.q), q_shape()},
             {name_in(in, names.k), kv_shape()},
             {name_in(in, names.v), kv_shape()}};
  }
  out.weights.qkv = checkpoint.projection(parts, n_threads);
  out.weights.o =
      checkpoint.projection(std::vector<NamedLinear>{{name_in(in, names.o), o_shape()}}, n_threads);
  if (config.has_head_norms) {
    out.weights.q_norm = head_norm(name_in(in, names.q_norm));
    out.weights.k_norm = head_norm(name_in(in, names.k_norm));
  }
  return out;
}

std::shared_ptr<const TransformerLayer> Transformer::Parts::read_layer(
    std::size_t l, bool wants_output, std::size_t n_threads) const {
  const LayerNames& names = family.layer;
  const std::string in = place(l);
  auto out = std::make_shared<TransformerLayer>();
  out->attention = read_attention(l, n_threads);
  out->attention_norm = attention_norm(l);
  if (!wants_output) return out;
  out->mlp_norm = norm(name_in(in, names.mlp_norm));
  if (config.mlp == MlpKind::kGated) {
    out->gate = checkpoint.linear(name_in(in, names.gate), up_shape(), n_threads);
  }
  out->up = checkpoint.linear(name_in(in, names.up), up_shape(), n_threads);
  out->down = checkpoint.linear(name_in(in, names.down), down_shape(), n_threads);
  return out;
}

Transformer::Transformer(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
Transformer::~Transformer() = default;

std::shared_ptr<const Transformer> Transformer::open(std::string_view config_json,
                                                     std::shared_ptr<const TensorSource> weights) {
  ModelConfig config;
  try {
    config = read_model_config(config_json);
  } catch (const Error& error) {
    throw error.at("config.json");
  }
  const Family& family = find_family(config.model_type);
  auto parts = std::make_unique<const Parts>(std::move(config), family, std::move(weights));
  return std::shared_ptr<const Transformer>(new Transformer(std::move(parts)));
}

const ModelConfig& Transformer::config() const {
  return parts_->config;
}

std::string_view Transformer::family() const {
  return parts_->family.title;
}

std::vector<std::string> Transformer::unused_tensors() const {
  return parts_->checkpoint.unused();
}

AttentionLayer Transformer::attention(std::size_t layer, std::size_t n_tokens) const {
  AttentionLayer out = parts_->read_attention(layer, 1);
  const ModelConfig& config = parts_->config;
  if (config.positions == ModelPositions::kRope) {
    out.rule.position = PositionKind::kRope;
    out.rule.rope = rope_of(config.rope, config.d_head, n_tokens);
  }
  return out;
}

}  // namespace mha
