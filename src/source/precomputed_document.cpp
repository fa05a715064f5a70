#include "precomputed_document.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "mha/attention/precomputed.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "attention_fields.hpp"

namespace mha {
namespace {

constexpr const char* kPointer = "/attention_weights";

[[noreturn]] void fail_empty(const std::string& shape) {
  fail_field(kPointer, "no weights", "at least one for each of [layer][head][query][key]", shape);
}

[[noreturn]] void refuse_computed(const Fields& fields, const char* name) {
  fail_field(fields.pointer(name), "beside attention_weights nothing is computed",
             "attention_weights without it", name);
}

// The weights of each layer as (head, query, key). Layers may have different numbers of heads, in
// which case the outer array is not one block of numbers.
std::vector<Tensor> layer_tensors(JsonNode& node, ArrayLoader& arrays) {
  using Allow = ArrayLoader::Allow;
  std::vector<Tensor> out;
  if (node.is(JsonNode::Kind::kArray)) {
    for (std::size_t l = 0; l < node.items.size(); ++l) {
      const std::string place = concat(kPointer, "/", l);
      out.push_back(arrays.load(node.items[l], place, Allow::kNumbersAndNull));
      if (out.back().data.empty()) fail_empty(shape_text(out.back().shape));
      check_rank(out.back(), 3, "[head][query][key]", place);
    }
    return out;
  }
  Tensor all = arrays.load(node, kPointer, Allow::kNumbersAndNull);
  if (all.data.empty()) fail_empty(shape_text(all.shape));
  check_rank(all, 4, "[layer][head][query][key]", kPointer);
  const Shape inner(all.shape.begin() + 1, all.shape.end());
  const std::size_t size = all.data.size() / all.shape[0];
  for (std::size_t l = 0; l < all.shape[0]; ++l) {
    const auto from = all.data.begin() + static_cast<std::ptrdiff_t>(l * size);
    out.push_back({inner, FloatVector(from, from + static_cast<std::ptrdiff_t>(size))});
  }
  return out;
}

// "L4H11" or "L4mean" as numbers.
HeadName parse_head_name(const std::string& text, const std::string& pointer) {
  const std::size_t h = text.find('H');
  const auto is_number = [](std::string_view part) {
    return !part.empty() && part.size() < 6 &&
           std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::size_t mean = text.find("mean");
  if (text.starts_with('L') && mean != std::string::npos && mean + 4 == text.size() &&
      is_number(std::string_view(text).substr(1, mean - 1))) {
    return {std::stoul(text.substr(1, mean - 1)), 0, true};
  }
  const bool is_name = text.starts_with('L') && h != std::string::npos &&
                       is_number(std::string_view(text).substr(1, h - 1)) &&
                       is_number(std::string_view(text).substr(h + 1));
  if (!is_name) fail_field(pointer, "not the name of a head", "a name like \"L0H3\"", text);
  return {std::stoul(text.substr(1, h - 1)), std::stoul(text.substr(h + 1)), false};
}

void check_distinct(const std::vector<std::string>& selection) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < selection.size(); ++i) {
    if (!seen.insert(selection[i]).second) {
      fail_field(concat("/selection/", i), "a head named twice", "different names", selection[i]);
    }
  }
}

// Names in the order of the weights: those of "selection", else counted from 0.
std::vector<std::vector<HeadName>> head_names(const Fields& fields,
                                              const std::vector<Tensor>& layers) {
  std::vector<std::string> selection;
  std::size_t n_heads = 0;
  for (const Tensor& layer : layers) n_heads += layer.shape[0];
  if (const JsonNode* node = fields.find("selection")) {
    selection = string_list(*node, "/selection");
    if (selection.size() != n_heads) {
      fail_field("/selection", "wrong number of heads", std::to_string(n_heads),
                 std::to_string(selection.size()));
    }
  }
  std::vector<std::vector<HeadName>> names;
  std::size_t next = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    names.emplace_back();
    for (std::size_t h = 0; h < layers[l].shape[0]; ++h, ++next) {
      const std::string place = concat("/selection/", next);
      names.back().push_back(selection.empty() ? HeadName{l, h, false}
                                               : parse_head_name(selection[next], place));
      const HeadName& first = names.back().front();
      if (names.back().back().layer != first.layer) {
        fail_field(place, "two layer numbers in one layer of attention_weights",
                   concat("a head of layer ", first.layer), selection[next]);
      }
    }
  }
  check_distinct(selection);
  return names;
}

std::vector<std::string> last_tokens(const std::vector<std::string>& tokens, std::size_t count) {
  return {tokens.end() - static_cast<std::ptrdiff_t>(count), tokens.end()};
}

[[noreturn]] void fail_label_count(const char* pointer, const char* axis, std::size_t expected,
                                   std::size_t got) {
  fail_field(pointer, concat("wrong number of labels for the ", axis, " axis"),
             std::to_string(expected), std::to_string(got));
}

// Finds labels for both axes and decides whether queries and keys are of one sequence.
void read_labels(const PrecomputedFields& document, std::size_t n_query, std::size_t n_key,
                 OpenedInput* out) {
  std::optional<std::vector<std::string>> keys;
  if (const JsonNode* node = document.fields.find("key_tokens")) {
    keys = string_list(*node, "/key_tokens");
    if (keys->size() != n_key) fail_label_count("/key_tokens", "key", n_key, keys->size());
  }
  bool is_cross = false;
  if (JsonNode* node = document.root.find("context")) {
    const Fields context(*node, "/context", "context");
    if (context.has("embeddings")) refuse_computed(context, "embeddings");
    is_cross = true;
    if (const JsonNode* tokens = context.find("tokens"); tokens != nullptr && !keys) {
      keys = string_list(*tokens, "/context/tokens");
      if (keys->size() != n_key) fail_label_count("/context/tokens", "key", n_key, keys->size());
    }
  }
  std::optional<std::vector<std::string>> queries = document.tokens;
  // One list for fewer queries than keys: the queries are the last of its tokens.
  if (queries && !keys && queries->size() == n_key && n_query < n_key) {
    keys = queries;
    queries = last_tokens(*queries, n_query);
    out->notes.push_back(
        concat("the ", n_query, " queries are the last ", n_query, " of ", n_key, " tokens"));
  }
  if (queries && queries->size() != n_query) {
    const char* given = document.fields.has("tokens") ? "/tokens"
                        : document.fields.has("text") ? "/text"
                                                      : "/ids";
    fail_label_count(given, "query", n_query, queries->size());
  }
  if (!keys) keys = queries && n_query == n_key ? *queries : index_labels(n_key);
  if (!queries) {
    queries = n_query <= n_key && !is_cross ? last_tokens(*keys, n_query) : index_labels(n_query);
  }
  out->is_cross = is_cross || n_query > n_key || last_tokens(*keys, n_query) != *queries;
  out->tokens = std::move(*queries);
  out->key_tokens = std::move(*keys);
}

// What each layer's mask is declared to be; only the mask part of "attention" has a meaning here.
MaskRule declared_mask(const AttentionFields& fields, const AttentionShape& shape,
                       std::size_t n_heads) {
  if (fields.position || fields.bias || fields.softcap || fields.scale || fields.temperature) {
    const char* name = fields.position  ? "position"
                       : fields.bias    ? "bias"
                       : fields.softcap ? "softcap"
                       : fields.scale   ? "scale"
                                        : "temperature";
    fail_field(fields.pointer_to(name), "beside attention_weights nothing is computed",
               "only causal, window, valid_keys and mask", name);
  }
  if (fields.n_heads && *fields.n_heads != n_heads) {
    fail_field(fields.pointer_to("n_heads"), "wrong n_heads",
               concat(n_heads, " as in attention_weights"), std::to_string(*fields.n_heads));
  }
  return make_rule(fields, shape, n_heads).mask;
}

std::vector<AttentionFields> layer_rules(const PrecomputedFields& document, std::size_t n_layers) {
  AttentionFields top;
  if (JsonNode* node = document.root.find("attention")) {
    top = read_attention(*node, "/attention", document.arrays);
  }
  RuleDefaults mask_defaults;
  mask_defaults.causal = document.defaults.causal;
  mask_defaults.window = document.defaults.window;
  top = with_defaults(std::move(top), from_defaults(mask_defaults));
  std::vector<AttentionFields> rules(n_layers, top);
  JsonNode* layers = document.root.find("layers");
  if (layers == nullptr) return rules;
  if (!layers->is(JsonNode::Kind::kArray) || layers->items.size() != n_layers) {
    fail_field("/layers", "wrong number of layers", concat(n_layers, " as in attention_weights"),
               layers->is(JsonNode::Kind::kArray) ? std::to_string(layers->items.size())
                                                  : layers->description());
  }
  for (std::size_t l = 0; l < n_layers; ++l) {
    const std::string place = concat("/layers/", l);
    const Fields fields(layers->items[l], place, "layer");
    if (fields.has("weights")) refuse_computed(fields, "weights");
    if (JsonNode* node = layers->items[l].find("attention")) {
      rules[l] = with_defaults(read_attention(*node, place + "/attention", document.arrays), top);
    }
  }
  return rules;
}

PrecomputedLayer make_known_layer(Tensor tensor, const AttentionFields& rule, bool has_null,
                                  bool is_cross) {
  PrecomputedLayer layer;
  layer.n_heads = tensor.shape[0];
  layer.shape = {tensor.shape[1], tensor.shape[2], is_cross};
  layer.mask = declared_mask(rule, layer.shape, layer.n_heads);
  if (has_null) {
    layer.missing.resize(tensor.data.size());
    for (std::size_t i = 0; i < tensor.data.size(); ++i) {
      if (!std::isnan(tensor.data[i])) continue;
      layer.missing[i] = 1;
      tensor.data[i] = 0;
    }
  }
  layer.weights = FloatStorage(std::move(tensor.data));
  return layer;
}

bool any_null(const JsonNode& node) {
  return node.has_null || std::ranges::any_of(node.items, any_null);
}

void refuse_model_fields(const Fields& fields) {
  for (const char* name : {"embeddings", "weights", "positions", "residual"}) {
    if (fields.has(name)) refuse_computed(fields, name);
  }
}

// The tool's own marks on attention.json: a later format or other axes would be read wrongly.
void check_marks(const Fields& fields) {
  const std::optional<std::string> format = fields.string("format");
  if (format && *format != "mha-viz attention 1") {
    fail_field("/format", "unknown format", "\"mha-viz attention 1\"", "\"" + *format + "\"");
  }
  const JsonNode* axes = fields.find("axes");
  if (axes == nullptr) return;
  const std::string names = join(string_list(*axes, "/axes"), ", ");
  if (names != "layer, head, query, key") {
    fail_field("/axes", "other axes", "layer, head, query, key", names);
  }
}

}  // namespace

void read_precomputed(const PrecomputedFields& document, OpenedInput* out) {
  refuse_model_fields(document.fields);
  check_marks(document.fields);
  JsonNode& node = *document.root.find("attention_weights");
  const bool has_null = any_null(node);  // only inline arrays have null: files may hold NaN
  std::vector<Tensor> tensors = layer_tensors(node, document.arrays);
  const std::size_t n_query = tensors[0].shape[1];
  const std::size_t n_key = tensors[0].shape[2];
  for (std::size_t l = 0; l < tensors.size(); ++l) {
    if (tensors[l].shape[1] != n_query || tensors[l].shape[2] != n_key) {
      fail_field(concat(kPointer, "/", l), "layers differ in size", concat(n_query, "x", n_key),
                 concat(tensors[l].shape[1], "x", tensors[l].shape[2]));
    }
  }
  read_labels(document, n_query, n_key, out);
  out->head_names = head_names(document.fields, tensors);
  const std::vector<AttentionFields> rules = layer_rules(document, tensors.size());
  std::vector<PrecomputedLayer> layers;
  for (std::size_t l = 0; l < tensors.size(); ++l) {
    layers.push_back(make_known_layer(std::move(tensors[l]), rules[l], has_null, out->is_cross));
  }
  try {
    auto rows = std::make_unique<PrecomputedAttention>(std::move(layers));
    out->warnings = rows->notes();
    out->has_given_weights = true;
    for (const LayerInfo& layer : rows->layers()) {
      out->held_bytes += sizeof(float) * layer.n_heads * layer.shape.n_query * layer.shape.n_key;
    }
    out->rows = std::move(rows);
  } catch (const Error& error) {
    throw error.at(kPointer);
  }
}

}  // namespace mha
