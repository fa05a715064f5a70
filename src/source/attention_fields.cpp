#include "attention_fields.hpp"

#include <cmath>
#include <limits>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "fields.hpp"

namespace mha {
namespace {

void read_position(const JsonNode& node, const std::string& pointer, AttentionFields* out) {
  if (node.is(JsonNode::Kind::kNull)) return;
  const Fields fields(node, pointer, "position");
  const std::optional<std::size_t> kind = fields.choice("kind", {"rope", "alibi"});
  if (!kind) fail_field(pointer, "no 'kind'", "\"rope\" or \"alibi\"", node.description());
  out->position = *kind == 0 ? PositionKind::kRope : PositionKind::kAlibi;
  if (out->position == PositionKind::kAlibi) {
    for (const char* name : {"theta", "pairing", "fraction"}) {
      if (fields.has(name)) {
        fail_field(fields.pointer(name), "not a field of alibi", "only 'kind'", name);
      }
    }
  }
  out->rope.theta = fields.positive("theta").value_or(out->rope.theta);
  out->rope.fraction = fields.positive("fraction").value_or(out->rope.fraction);
  if (out->rope.fraction > 1) {
    fail_field(fields.pointer("fraction"), "number out of range", "above 0 and at most 1",
               number_text(out->rope.fraction));
  }
  if (fields.choice("pairing", {"half", "interleaved"}) == 1) {
    out->rope.pairing = RopePairing::kInterleaved;
  }
}

std::optional<Tensor> load_optional(JsonNode& node, const Fields& fields, const char* name,
                                    ArrayLoader& arrays, ArrayLoader::Allow allow) {
  for (JsonMember& member : node.members) {
    if (member.name == name) return arrays.load(member.value, fields.pointer(name), allow);
  }
  return std::nullopt;
}

void check_shape(const Tensor& tensor, const Shape& expected, const std::string& pointer,
                 const char* axes) {
  if (tensor.shape == expected) return;
  fail_field(pointer, "wrong shape", concat(shape_text(expected), " ", axes),
             shape_text(tensor.shape));
}

std::vector<std::uint8_t> to_flags(const Tensor& tensor) {
  std::vector<std::uint8_t> out;
  out.reserve(tensor.data.size());
  for (float x : tensor.data) out.push_back(x != 0 ? 1 : 0);
  return out;
}

// A null in a bias means that the query may not attend to the key.
void hide_null_cells(Tensor* bias) {
  for (float& x : bias->data) {
    if (std::isnan(x)) x = -std::numeric_limits<float>::infinity();
  }
}

// Rules about positions mean nothing where keys come from a context.
void refuse_positions(const AttentionFields& fields) {
  const bool is_rope = fields.position == PositionKind::kRope;
  const struct {
    const char* field;
    const char* shown;
    bool is_on;
  } rules[] = {{"causal", "causal", fields.causal.value_or(false)},
               {"window", "window", fields.window.has_value()},
               {"position", is_rope ? "rope" : "alibi", fields.position.has_value()}};
  for (const auto& rule : rules) {
    const auto given = fields.pointers.find(rule.field);
    if (!rule.is_on || given == fields.pointers.end()) continue;
    fail_input(concat(given->second, ": ", rule.shown,
                      " needs positions, and queries and keys of cross-attention share none"),
               "use mask or valid_keys instead");
  }
}

template <typename T>
void take_default(std::optional<T>* lower, const std::optional<T>& upper) {
  if (!lower->has_value()) *lower = upper;
}

}  // namespace

std::string AttentionFields::pointer_to(const std::string& field) const {
  const auto found = pointers.find(field);
  return found == pointers.end() ? pointer + "/" + field : found->second;
}

AttentionFields read_attention(JsonNode& node, const std::string& pointer, ArrayLoader& arrays) {
  const Fields fields(node, pointer, "attention");
  AttentionFields out;
  out.pointer = pointer;
  for (const JsonMember& member : node.members) {
    out.pointers[member.name] = fields.pointer(member.name);
  }
  out.n_heads = fields.count("n_heads", 1);
  out.n_kv_heads = fields.count("n_kv_heads", 1);
  out.d_head = fields.count("d_head", 1);
  out.window = fields.count("window", 1);
  out.scale = fields.positive("scale");
  out.temperature = fields.positive("temperature");
  out.softcap = fields.positive("softcap");
  out.causal = fields.boolean("causal");
  if (const JsonNode* position = fields.find("position")) {
    read_position(*position, fields.pointer("position"), &out);
  }
  using Allow = ArrayLoader::Allow;
  out.mask = load_optional(node, fields, "mask", arrays, Allow::kBooleans);
  out.valid_keys = load_optional(node, fields, "valid_keys", arrays, Allow::kBooleans);
  const JsonNode* bias = fields.find("bias");
  const bool has_null = bias != nullptr && bias->has_null;
  out.bias = load_optional(node, fields, "bias", arrays, Allow::kNumbersAndNull);
  if (has_null) hide_null_cells(&*out.bias);
  return out;
}

AttentionFields from_defaults(const RuleDefaults& defaults) {
  AttentionFields out;
  out.causal = defaults.causal;
  out.window = defaults.window;
  out.scale = defaults.scale;
  out.softcap = defaults.softcap;
  out.position = defaults.position;
  out.rope = defaults.rope;
  return out;
}

AttentionFields with_defaults(AttentionFields lower, const AttentionFields& upper) {
  if (!lower.position) lower.rope = upper.rope;
  take_default(&lower.position, upper.position);
  take_default(&lower.n_heads, upper.n_heads);
  take_default(&lower.n_kv_heads, upper.n_kv_heads);
  take_default(&lower.d_head, upper.d_head);
  take_default(&lower.window, upper.window);
  take_default(&lower.scale, upper.scale);
  take_default(&lower.temperature, upper.temperature);
  take_default(&lower.softcap, upper.softcap);
  take_default(&lower.causal, upper.causal);
  take_default(&lower.mask, upper.mask);
  take_default(&lower.valid_keys, upper.valid_keys);
  take_default(&lower.bias, upper.bias);
  lower.pointers.insert(upper.pointers.begin(), upper.pointers.end());
  return lower;
}

AttentionRule make_rule(const AttentionFields& fields, const AttentionShape& shape,
                        std::size_t n_heads) {
  if (shape.is_cross) refuse_positions(fields);
  AttentionRule rule;
  rule.scale = fields.scale;
  rule.temperature = fields.temperature.value_or(1);
  rule.softcap = fields.softcap;
  rule.position = fields.position.value_or(PositionKind::kNone);
  rule.rope = fields.rope;
  rule.mask.causal = fields.causal.value_or(false);
  rule.mask.window = fields.window;
  if (fields.valid_keys) {
    check_shape(*fields.valid_keys, {shape.n_key}, fields.pointer_to("valid_keys"), "[key]");
    rule.mask.valid_keys = to_flags(*fields.valid_keys);
  }
  if (fields.mask) {
    check_shape(*fields.mask, {shape.n_query, shape.n_key}, fields.pointer_to("mask"),
                "[query][key]");
    rule.mask.mask = to_flags(*fields.mask);
  }
  if (fields.bias) {
    const Tensor& bias = *fields.bias;
    const bool is_per_head = bias.shape.size() == 3;
    Shape expected{shape.n_query, shape.n_key};
    if (is_per_head) expected.insert(expected.begin(), n_heads);
    check_shape(bias, expected, fields.pointer_to("bias"),
                is_per_head ? "[head][query][key]" : "[query][key]");
    rule.bias_heads = is_per_head ? n_heads : 1;
    rule.bias.assign(bias.data.begin(), bias.data.end());
  }
  return rule;
}

}  // namespace mha
