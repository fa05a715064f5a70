#include "mha/model/transformer.hpp"

#include <span>
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
  const std::size_t width = config.d_model;
  const auto table = [&](std::string_view name, std::size_t rows) {
    return checkpoint.table(std::string(name), rows, width);
  };
  check_layers();
  words = table(names.word_embedding, config.vocab_size);
  positions = table(names.position_embedding, config.max_positions);
  if (!names.type_embedding.empty()) types = table(names.type_embedding, config.n_token_types);
  if (!names.embedding_norm.empty()) {
    embedding_norm = checkpoint.norm(std::string(names.embedding_norm), width);
  }
  if (!names.final_norm.empty()) {
    final_norm = checkpoint.norm(std::string(names.final_norm), width);
  }
  const auto d_model = static_cast<double>(width);
  const double layer_bytes = 4 * d_model * (4 * d_model + 2 * static_cast<double>(config.d_inner));
  if (layer_bytes * static_cast<double>(config.n_layers) > kKeptBytes) return;
  for (std::size_t l = 0; l < config.n_layers; ++l) kept_.push_back(read_layer(l));
}

// Looks for every tensor of every layer, so that a hole is found before the work starts.
void Transformer::Parts::check_layers() const {
  const LayerNames& names = family.layer;
  const std::size_t width = config.d_model;
  for (std::size_t l = 0; l < config.n_layers; ++l) {
    const std::string place = concat(family.names.layers, l, ".");
    checkpoint.check_norm(name_in(place, names.attention_norm), width);
    if (!names.qkv.empty()) {
      checkpoint.check_linear(name_in(place, names.qkv), {width, 3 * width});
    } else {
      for (const std::string_view part : {names.q, names.k, names.v}) {
        checkpoint.check_linear(name_in(place, part), {width, width});
      }
    }
    checkpoint.check_linear(name_in(place, names.o), {width, width});
    checkpoint.check_norm(name_in(place, names.mlp_norm), width);
    checkpoint.check_linear(name_in(place, names.up), {width, config.d_inner});
    checkpoint.check_linear(name_in(place, names.down), {config.d_inner, width});
  }
}

std::shared_ptr<const TransformerLayer> Transformer::Parts::layer(std::size_t l) const {
  return kept_.empty() ? read_layer(l) : kept_[l];
}

AttentionLayer Transformer::Parts::read_attention(const std::string& place) const {
  const LayerNames& names = family.layer;
  const std::size_t width = config.d_model;
  AttentionLayer out;
  out.layout = {config.n_heads, config.n_heads, config.d_head(), config.d_head()};
  out.rule.mask.causal = family.is_causal;
  if (!names.qkv.empty()) {
    out.weights.qkv = checkpoint.linear(name_in(place, names.qkv), {width, 3 * width});
  } else {
    const Projection q = checkpoint.linear(name_in(place, names.q), {width, width});
    const Projection k = checkpoint.linear(name_in(place, names.k), {width, width});
    const Projection v = checkpoint.linear(name_in(place, names.v), {width, width});
    out.weights.qkv = side_by_side(std::vector<const Projection*>{&q, &k, &v});
  }
  out.weights.o = checkpoint.linear(name_in(place, names.o), {width, width});
  return out;
}

std::shared_ptr<const TransformerLayer> Transformer::Parts::read_layer(std::size_t l) const {
  const LayerNames& names = family.layer;
  const std::string place = concat(family.names.layers, l, ".");
  auto out = std::make_shared<TransformerLayer>();
  out->attention = read_attention(place);
  out->attention_norm = checkpoint.norm(name_in(place, names.attention_norm), config.d_model);
  out->mlp_norm = checkpoint.norm(name_in(place, names.mlp_norm), config.d_model);
  out->up = checkpoint.linear(name_in(place, names.up), {config.d_model, config.d_inner});
  out->down = checkpoint.linear(name_in(place, names.down), {config.d_inner, config.d_model});
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

std::vector<std::string> Transformer::unused_tensors() const {
  return parts_->checkpoint.unused();
}

AttentionLayer Transformer::attention(std::size_t layer) const {
  return parts_->layer(layer)->attention;
}

}  // namespace mha
