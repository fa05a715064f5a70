#include "rope_fields.hpp"

#include <array>
#include <utility>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "config_fields.hpp"

namespace mha {
namespace {

using Kind = RopeScaling::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 5> kKinds = {{
    {"default", Kind::kNone},
    {"linear", Kind::kLinear},
    {"dynamic", Kind::kDynamic},
    {"llama3", Kind::kLlama3},
    {"yarn", Kind::kYarn},
}};

Kind scaling_kind(const JsonNode& scaling, const std::string& key) {
  const JsonNode* type = find_value(scaling, "rope_type");
  if (type == nullptr) type = find_value(scaling, "type");  // as it was called before 2024
  if (type == nullptr) fail_value(key + "/rope_type", "the name of a scaling", "none");
  for (const auto& [name, kind] : kKinds) {
    if (type->text == name) return kind;
  }
  fail_input(concat("/", key,
                    "/rope_type: a scaling that is not implemented; expected default, "
                    "linear, dynamic, llama3 or yarn, got ",
                    json_form(*type)));
}

double required_positive(const JsonNode& scaling, const char* name) {
  const std::optional<double> value = optional_positive(scaling, name);
  if (!value) fail_value(name, "a number above 0", "none");
  return *value;
}

RopeScaling read_scaling(const JsonNode& scaling, const std::string& key, double max_positions) {
  RopeScaling out;
  out.kind = scaling_kind(scaling, key);
  if (out.kind == Kind::kNone) return out;
  out.factor = required_positive(scaling, "factor");
  if (out.factor < 1) fail_value("factor", "a number of at least 1", concat(out.factor));
  out.original_length =
      optional_positive(scaling, "original_max_position_embeddings").value_or(max_positions);
  if (out.kind == Kind::kDynamic) out.original_length = max_positions;
  if (out.kind == Kind::kLlama3) {
    out.low_freq_factor = required_positive(scaling, "low_freq_factor");
    out.high_freq_factor = required_positive(scaling, "high_freq_factor");
    if (out.high_freq_factor <= out.low_freq_factor) {
      fail_value("high_freq_factor", concat("above low_freq_factor ", out.low_freq_factor),
                 concat(out.high_freq_factor));
    }
  }
  if (out.kind == Kind::kYarn) {
    out.beta_fast = optional_positive(scaling, "beta_fast").value_or(out.beta_fast);
    out.beta_slow = optional_positive(scaling, "beta_slow").value_or(out.beta_slow);
    out.truncates = flag_in(scaling, "truncate", true);
    out.attention_factor = optional_positive(scaling, "attention_factor");
    out.mscale = optional_positive(scaling, "mscale");
    out.mscale_all_dim = optional_positive(scaling, "mscale_all_dim");
  }
  return out;
}

// Every pair but the first must turn more slowly than the one before.
void read_theta(const JsonNode& object, double* theta) {
  *theta = optional_positive(object, "rope_theta").value_or(*theta);
  if (*theta <= 1) fail_value("rope_theta", "a number above 1", concat(*theta));
}

}  // namespace

RopeConfig read_rope(const JsonNode& root, double max_positions) {
  RopeConfig out;
  read_theta(root, &out.theta);
  for (const std::string key : {"rope_parameters", "rope_scaling"}) {
    const JsonNode* node = find_value(root, key);
    if (node == nullptr) continue;
    if (!node->is(JsonNode::Kind::kObject)) fail_value(key, "an object", node->description());
    try {
      read_theta(*node, &out.theta);
      out.scaling = read_scaling(*node, key, max_positions);
    } catch (const Error& error) {
      // The fields are named without the object that they stand in.
      const std::string message = error.what();
      if (message.starts_with("/" + key)) throw;
      throw Error(error.kind(), concat("/", key, message), error.hint());
    }
    return out;
  }
  return out;
}

}  // namespace mha
