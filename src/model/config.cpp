#include "mha/model/config.hpp"

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/json.hpp"

#include "config_fields.hpp"
#include "families.hpp"
#include "rope_fields.hpp"

namespace mha {
namespace {

constexpr std::size_t kMostLayers = 100'000;
constexpr std::size_t kDefaultWindow = 4096;       // of Hugging Face's classes
constexpr std::size_t kDefaultFirstWindowed = 28;  // max_window_layers

Activation activation_in(const JsonNode& root, std::string_view key, Activation otherwise) {
  const JsonNode* node = find_value(root, key);
  if (node == nullptr) return otherwise;
  const std::string& name = node->text;
  if (name == "gelu") return Activation::kGelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast") {
    return Activation::kGeluTanh;
  }
  if (name == "relu") return Activation::kRelu;
  if (name == "silu" || name == "swish") return Activation::kSilu;
  fail_value(key, "gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, relu, silu or swish",
             node->is(JsonNode::Kind::kString) ? concat("'", name, "'") : node->description());
}

void check_fixed(const JsonNode& root, const Family& family) {
  for (const FixedValue& fixed : family.fixed) {
    const JsonNode* node = find_value(root, fixed.key);
    if (node == nullptr || json_form(*node) == fixed.value) continue;
    fail_input(concat("/", fixed.key, ": a value that is not implemented; expected ", fixed.value,
                      ", got ", json_form(*node)));
  }
  if (find_value(root, "quantization_config") != nullptr) {
    fail_input(
        "/quantization_config: quantised weights are not implemented; expected a checkpoint in "
        "F32, F16 or BF16");
  }
}

void read_sizes(const JsonNode& root, const Family& family, ModelConfig* config) {
  const ConfigKeys& keys = family.keys;
  const FamilyTraits& traits = family.traits;
  config->n_layers = count_in(root, keys.n_layers, {1, kMostLayers});
  config->n_layer_groups = config->n_layers;
  if (traits.shares_layers) {
    config->n_layer_groups = optional_count(root, "num_hidden_groups").value_or(1);
    if (config->n_layers % config->n_layer_groups != 0) {
      fail_value("num_hidden_groups", concat("a divisor of ", keys.n_layers, " ", config->n_layers),
                 std::to_string(config->n_layer_groups));
    }
  }
  config->n_heads = count_in(root, keys.n_heads);
  config->d_model = count_in(root, keys.d_model);
  config->d_embedding =
      optional_count(root, keys.d_embedding)
          .value_or(traits.d_embedding == 0 ? config->d_model : traits.d_embedding);
  config->d_inner = optional_count(root, keys.d_inner)
                        .value_or(traits.d_inner == 0 ? 4 * config->d_model : traits.d_inner);
  config->vocab_size = count_in(root, "vocab_size");
  if (!keys.n_token_types.empty()) config->n_token_types = count_in(root, keys.n_token_types);
}

void read_heads(const JsonNode& root, const Family& family, ModelConfig* config) {
  const ConfigKeys& keys = family.keys;
  std::optional<std::size_t> d_head = optional_count(root, keys.d_head);
  if (!d_head && family.traits.d_head != 0) d_head = family.traits.d_head;
  if (!d_head && config->d_model % config->n_heads != 0) {
    fail_value(keys.n_heads, concat("a divisor of ", keys.d_model, " ", config->d_model),
               std::to_string(config->n_heads));
  }
  config->d_head = d_head.value_or(config->d_model / config->n_heads);
  const bool is_absent = !keys.n_kv_heads.empty() && root.find(keys.n_kv_heads) == nullptr;
  if (is_absent && family.traits.needs_kv_heads) fail_value(keys.n_kv_heads, "a number", "none");
  config->n_kv_heads = optional_count(root, keys.n_kv_heads).value_or(config->n_heads);
  if (config->n_heads % config->n_kv_heads != 0) {
    fail_value(keys.n_kv_heads, concat("a divisor of ", keys.n_heads, " ", config->n_heads),
               std::to_string(config->n_kv_heads));
  }
}

void read_positions(const JsonNode& root, const Family& family, ModelConfig* config) {
  config->positions = family.traits.positions;
  config->max_positions = count_in(root, family.keys.max_positions);
  if (config->positions == ModelPositions::kRope) {
    if (config->d_head % 2 != 0) {
      fail_value(family.keys.d_head, "an even number, for rotary positions",
                 std::to_string(config->d_head));
    }
    config->rope = read_rope(root, static_cast<double>(config->max_positions));
    return;
  }
  if (config->positions != ModelPositions::kAfterPadding) return;
  config->pad_id = static_cast<std::uint32_t>(
      optional_count(root, "pad_token_id", {0, 1'000'000'000}).value_or(1));
  if (config->max_positions <= config->first_position()) {
    fail_value(family.keys.max_positions,
               concat("more than pad_token_id + 1, ", config->first_position()),
               std::to_string(config->max_positions));
  }
  config->max_positions -= config->first_position();
}

// Whether each layer has the window: layer_types, or else the layers from max_window_layers on.
std::vector<bool> windowed_layers(const JsonNode& root, const ModelConfig& config) {
  std::vector<bool> out(config.n_layers, false);
  const JsonNode* types = find_value(root, "layer_types");
  if (types == nullptr) {
    const std::size_t first =
        optional_count(root, "max_window_layers", {0, kMostLayers}).value_or(kDefaultFirstWindowed);
    for (std::size_t l = first; l < out.size(); ++l) out[l] = true;
    return out;
  }
  if (!types->is(JsonNode::Kind::kArray) || types->items.size() != config.n_layers) {
    fail_value("layer_types",
               concat("a list with the type of each of ", config.n_layers, " layers"),
               types->description());
  }
  for (std::size_t l = 0; l < out.size(); ++l) {
    const JsonNode& type = types->items[l];
    out[l] = type.text == "sliding_attention";
    if (!out[l] && type.text != "full_attention") {
      fail_value(concat("layer_types/", l), "\"full_attention\" or \"sliding_attention\"",
                 json_form(type));
    }
  }
  return out;
}

void read_windows(const JsonNode& root, WindowRule rule, ModelConfig* config) {
  config->windows.assign(config->n_layers, std::nullopt);
  if (rule == WindowRule::kNone) return;
  const bool is_silent = root.find("sliding_window") == nullptr;
  std::optional<std::size_t> window = optional_count(root, "sliding_window");
  if (is_silent) window = kDefaultWindow;
  if (rule == WindowRule::kAllLayers) {
    config->windows.assign(config->n_layers, window);
    return;
  }
  const bool is_used = flag_in(root, "use_sliding_window", false) && window;
  if (!is_used && find_value(root, "layer_types") == nullptr) return;
  const std::vector<bool> windowed = windowed_layers(root, *config);
  for (std::size_t l = 0; l < windowed.size(); ++l) {
    if (!windowed[l]) continue;
    if (!is_used) {
      fail_value(concat("layer_types/", l), "\"full_attention\" without use_sliding_window",
                 "\"sliding_attention\"");
    }
    config->windows[l] = window;
  }
}

void read_layers(const JsonNode& root, const Family& family, ModelConfig* config) {
  const ConfigKeys& keys = family.keys;
  const FamilyTraits& traits = family.traits;
  config->is_causal = traits.is_causal;
  config->is_pre_norm = traits.is_pre_norm;
  config->norm = traits.norm;
  config->norm_epsilon = optional_positive(root, keys.norm_epsilon).value_or(traits.norm_epsilon);
  config->has_head_norms = traits.has_head_norms;
  config->mlp = traits.mlp;
  config->activation = activation_in(root, keys.activation, traits.activation);
  config->has_qkv_bias = traits.has_qkv_bias;
  config->has_o_bias = traits.has_o_bias;
  config->has_mlp_bias = traits.has_mlp_bias;
  if (!keys.attention_bias.empty()) {
    config->has_qkv_bias = config->has_o_bias = flag_in(root, keys.attention_bias, false);
  }
  if (!keys.mlp_bias.empty()) config->has_mlp_bias = flag_in(root, keys.mlp_bias, false);
  config->ties_embeddings = flag_in(root, "tie_word_embeddings", traits.ties_embeddings);
}

}  // namespace

ModelConfig read_model_config(std::string_view json) {
  const JsonNode root = parse_json(json);
  if (!root.is(JsonNode::Kind::kObject)) {
    fail_input(concat("not a model's configuration; expected an object, got ", root.description()));
  }
  const JsonNode* type = root.find("model_type");
  if (type == nullptr || !type->is(JsonNode::Kind::kString)) {
    fail_value("model_type", "the name of a family",
               type == nullptr ? "none" : type->description());
  }
  const Family& family = find_family(type->text);
  check_fixed(root, family);
  ModelConfig config;
  config.model_type = type->text;
  read_sizes(root, family, &config);
  read_heads(root, family, &config);
  read_layers(root, family, &config);
  read_positions(root, family, &config);
  read_windows(root, family.traits.windows, &config);
  return config;
}

}  // namespace mha
