#include "fields.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/source/source.hpp"

namespace mha {
namespace {

const std::vector<std::string>& fields_of(const char* kind) {
  for (const auto& [name, fields] : known_fields()) {
    if (name == kind) return fields;
  }
  throw Error(ErrorKind::kInternal, concat("no list of fields for ", kind));
}

constexpr double kLargestCount = 9007199254740991;  // 2^53 - 1: beyond, double has gaps
constexpr double kLargestListed = 16777215;         // 2^24 - 1: lists of numbers are float32

bool is_whole(double value, double at_least, double at_most) {
  return value >= at_least && value <= at_most && std::floor(value) == value;
}

std::string whole_number_text(double at_least, double at_most) {
  return concat("a whole number from ", number_text(at_least), " to ", number_text(at_most));
}

}  // namespace

const std::vector<std::pair<std::string, std::vector<std::string>>>& known_fields() {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> kFields = {
      {"document", {"id",          "tokens",     "text",       "text_pair", "ids",
                    "token_types", "valid_keys", "embeddings", "positions", "context",
                    "attention",   "weights",    "layers",     "residual",  "attention_weights",
                    "relations",   "format",     "axes",       "selection", "key_tokens"}},
      {"attention",
       {"n_heads", "n_kv_heads", "d_head", "scale", "temperature", "causal", "window", "softcap",
        "position", "mask", "valid_keys", "bias"}},
      {"position", {"kind", "theta", "pairing", "fraction"}},
      {"weights",
       {"W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O", "file", "names", "layout",
        "random"}},
      {"names", {"W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O"}},
      {"random", {"seed"}},
      {"layer", {"attention", "weights"}},
      {"context", {"tokens", "embeddings"}},
      {"relation", {"name", "pairs"}},
      {"array", {"file", "name"}},
  };
  return kFields;
}

void fail_field(const std::string& pointer, const std::string& what, const std::string& expected,
                const std::string& got) {
  fail_input(
      concat(pointer.empty() ? "/" : pointer, ": ", what, "; expected ", expected, ", got ", got));
}

Fields::Fields(const JsonNode& node, std::string pointer, const char* known)
    : node_(node), pointer_(std::move(pointer)) {
  if (!node.is(JsonNode::Kind::kObject)) {
    fail_field(pointer_, "wrong type", "an object", node.description());
  }
  const std::vector<std::string>& names = fields_of(known);
  for (const JsonMember& member : node.members) {
    if (std::ranges::find(names, member.name) != names.end()) continue;
    std::string hint = spelling_hint(member.name, names);
    if (hint.empty()) hint = "known fields: " + join(names, ", ");
    fail_input(concat(pointer_, "/", member.name, ": unknown field '", member.name, "' in ", known),
               hint);
  }
}

std::optional<double> Fields::number(std::string_view name) const {
  const JsonNode* node = find(name);
  if (node == nullptr) return std::nullopt;
  if (!node->is(JsonNode::Kind::kNumber)) {
    fail_field(pointer(name), "wrong type", "a number", node->description());
  }
  if (std::fabs(node->number) > static_cast<double>(std::numeric_limits<float>::max())) {
    fail_field(pointer(name), "number out of range", "at most 3.4e38 (float32)",
               number_text(node->number));
  }
  return node->number;
}

std::optional<double> Fields::positive(std::string_view name) const {
  const std::optional<double> value = number(name);
  if (value && !(*value > 0)) {
    fail_field(pointer(name), "number out of range", "a number above 0", number_text(*value));
  }
  return value;
}

std::optional<bool> Fields::boolean(std::string_view name) const {
  const JsonNode* node = find(name);
  if (node == nullptr) return std::nullopt;
  if (!node->is(JsonNode::Kind::kBoolean)) {
    fail_field(pointer(name), "wrong type", "true or false", node->description());
  }
  return node->number != 0;
}

std::optional<std::string> Fields::string(std::string_view name) const {
  const JsonNode* node = find(name);
  if (node == nullptr) return std::nullopt;
  if (!node->is(JsonNode::Kind::kString)) {
    fail_field(pointer(name), "wrong type", "a string", node->description());
  }
  return node->text;
}

std::optional<std::size_t> Fields::count(std::string_view name, std::size_t at_least) const {
  const std::optional<double> value = number(name);
  if (!value) return std::nullopt;
  const auto lowest = static_cast<double>(at_least);
  if (!is_whole(*value, lowest, kLargestCount)) {
    const std::string expected = *value > kLargestCount
                                     ? whole_number_text(lowest, kLargestCount)
                                     : "a whole number from " + number_text(lowest);
    fail_field(pointer(name), "number out of range", expected, number_text(*value));
  }
  return static_cast<std::size_t>(*value);
}

std::optional<std::size_t> Fields::choice(std::string_view name,
                                          const std::vector<std::string>& words) const {
  const std::optional<std::string> value = string(name);
  if (!value) return std::nullopt;
  const auto found = std::ranges::find(words, *value);
  if (found == words.end()) {
    const std::string hint = spelling_hint(*value, words);
    fail_input(concat(pointer(name), ": unknown value; expected one of ", join(words, ", "),
                      ", got '", *value, "'"),
               hint);
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::vector<std::string> string_list(const JsonNode& node, const std::string& pointer) {
  if (node.is_empty_array()) return {};
  if (!node.is(JsonNode::Kind::kArray)) {
    fail_field(pointer, "wrong type", "an array of strings", node.description());
  }
  std::vector<std::string> out;
  out.reserve(node.items.size());
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (!node.items[i].is(JsonNode::Kind::kString)) {
      fail_field(concat(pointer, "/", i), "wrong type", "a string", node.items[i].description());
    }
    out.push_back(node.items[i].text);
  }
  return out;
}

std::vector<std::size_t> count_list(const JsonNode& node, const std::string& pointer) {
  const bool is_list = node.is(JsonNode::Kind::kNumbers) && node.tensor.shape.size() == 1;
  if (!is_list) fail_field(pointer, "wrong type", "an array of numbers", node.description());
  std::vector<std::size_t> out;
  out.reserve(node.tensor.data.size());
  for (std::size_t i = 0; i < node.tensor.data.size(); ++i) {
    const auto value = static_cast<double>(node.tensor.data[i]);
    if (!is_whole(value, 0, kLargestListed)) {
      fail_field(concat(pointer, "/", i), "number out of range",
                 whole_number_text(0, kLargestListed),
                 std::isnan(value) ? "null" : number_text(value));
    }
    out.push_back(static_cast<std::size_t>(value));
  }
  return out;
}

std::size_t checked_index(double value, std::size_t size, const std::string& pointer) {
  const double last = static_cast<double>(size) - 1;
  if (!is_whole(value, 0, last)) {
    fail_field(pointer, "index out of range", whole_number_text(0, last),
               std::isnan(value) ? "null" : number_text(value));
  }
  return static_cast<std::size_t>(value);
}

}  // namespace mha
