#include "mha/model/config.hpp"

#include <cmath>
#include <optional>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/json.hpp"

#include "families.hpp"

namespace mha {
namespace {

[[noreturn]] void fail_value(std::string_view key, std::string_view expected,
                             std::string_view got) {
  fail_input(concat("/", key, ": not usable; expected ", expected, ", got ", got));
}

// A whole number of at least 1, or nothing where the file has none or null.
std::optional<std::size_t> optional_count(const JsonNode& root, std::string_view key) {
  const JsonNode* node = root.find(key);
  if (node == nullptr || node->is(JsonNode::Kind::kNull)) return std::nullopt;
  constexpr double kMost = 1e9;
  const bool is_count = node->is(JsonNode::Kind::kNumber) && node->number >= 1 &&
                        node->number <= kMost && node->number == std::floor(node->number);
  if (!is_count) {
    fail_value(key, "a whole number from 1 to 1000000000", node->description());
  }
  return static_cast<std::size_t>(node->number);
}

std::size_t count(const JsonNode& root, std::string_view key) {
  const std::optional<std::size_t> value = optional_count(root, key);
  if (!value) fail_value(key, "a whole number", "none");
  return *value;
}

double positive(const JsonNode& root, std::string_view key, double otherwise) {
  const JsonNode* node = root.find(key);
  if (node == nullptr) return otherwise;
  if (!node->is(JsonNode::Kind::kNumber) || !(node->number > 0)) {
    fail_value(key, "a number above 0", node->description());
  }
  return node->number;
}

Activation activation(const JsonNode& root, std::string_view key) {
  const JsonNode* node = root.find(key);
  if (node == nullptr) return Activation::kGelu;
  const std::string& name = node->text;
  if (name == "gelu") return Activation::kGelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast") {
    return Activation::kGeluTanh;
  }
  if (name == "relu") return Activation::kRelu;
  fail_value(key, "gelu, gelu_new, gelu_fast, gelu_pytorch_tanh or relu",
             node->is(JsonNode::Kind::kString) ? concat("'", name, "'") : node->description());
}

std::string json_form(const JsonNode& node) {
  if (node.is(JsonNode::Kind::kBoolean)) return node.number != 0 ? "true" : "false";
  if (node.is(JsonNode::Kind::kString)) return concat("\"", node.text, "\"");
  return node.description();
}

void check_fixed(const JsonNode& root, const Family& family) {
  for (const FixedValue& fixed : family.fixed) {
    const JsonNode* node = root.find(fixed.key);
    if (node == nullptr || json_form(*node) == fixed.value) continue;
    fail_input(concat("/", fixed.key, ": a value that is not implemented; expected ", fixed.value,
                      ", got ", json_form(*node)));
  }
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
  const ConfigKeys& keys = family.keys;
  ModelConfig config;
  config.model_type = type->text;
  config.n_layers = count(root, keys.n_layers);
  config.n_heads = count(root, keys.n_heads);
  config.d_model = count(root, keys.d_model);
  config.d_inner = optional_count(root, keys.d_inner).value_or(4 * config.d_model);
  config.vocab_size = count(root, "vocab_size");
  config.max_positions = count(root, keys.max_positions);
  if (!keys.n_token_types.empty()) config.n_token_types = count(root, keys.n_token_types);
  config.norm_epsilon = positive(root, keys.norm_epsilon, config.norm_epsilon);
  config.activation = activation(root, keys.activation);
  if (config.d_model % config.n_heads != 0) {
    fail_value(keys.n_heads, concat("a divisor of ", keys.d_model, " ", config.d_model),
               std::to_string(config.n_heads));
  }
  return config;
}

}  // namespace mha
