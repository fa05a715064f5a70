#include "config_fields.hpp"

#include <cmath>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha {

void fail_value(std::string_view key, std::string_view expected, std::string_view got) {
  fail_input(concat("/", key, ": not usable; expected ", expected, ", got ", got));
}

const JsonNode* find_value(const JsonNode& object, std::string_view key) {
  if (key.empty()) return nullptr;
  const JsonNode* node = object.find(key);
  return node == nullptr || node->is(JsonNode::Kind::kNull) ? nullptr : node;
}

std::optional<std::size_t> optional_count(const JsonNode& object, std::string_view key,
                                          CountRange range) {
  const JsonNode* node = find_value(object, key);
  if (node == nullptr) return std::nullopt;
  const bool is_count =
      node->is(JsonNode::Kind::kNumber) && node->number >= static_cast<double>(range.least) &&
      node->number <= static_cast<double>(range.most) && node->number == std::floor(node->number);
  if (!is_count) {
    fail_value(key, concat("a whole number from ", range.least, " to ", range.most),
               node->description());
  }
  return static_cast<std::size_t>(node->number);
}

std::size_t count_in(const JsonNode& object, std::string_view key, CountRange range) {
  const std::optional<std::size_t> value = optional_count(object, key, range);
  if (!value) fail_value(key, "a whole number", "none");
  return *value;
}

std::optional<double> optional_number(const JsonNode& object, std::string_view key) {
  const JsonNode* node = find_value(object, key);
  if (node == nullptr) return std::nullopt;
  if (!node->is(JsonNode::Kind::kNumber)) fail_value(key, "a number", node->description());
  return node->number;
}

std::optional<double> optional_positive(const JsonNode& object, std::string_view key) {
  const JsonNode* node = find_value(object, key);
  if (node == nullptr) return std::nullopt;
  if (!node->is(JsonNode::Kind::kNumber) || !(node->number > 0)) {
    fail_value(key, "a number above 0", node->description());
  }
  return node->number;
}

bool flag_in(const JsonNode& object, std::string_view key, bool otherwise) {
  const JsonNode* node = find_value(object, key);
  if (node == nullptr) return otherwise;
  if (!node->is(JsonNode::Kind::kBoolean)) fail_value(key, "true or false", node->description());
  return node->number != 0;
}

std::string json_form(const JsonNode& node) {
  if (node.is(JsonNode::Kind::kBoolean)) return node.number != 0 ? "true" : "false";
  if (node.is(JsonNode::Kind::kString)) return concat("\"", node.text, "\"");
  if (node.is(JsonNode::Kind::kNumber)) return concat(node.number);
  return node.description();
}

}  // namespace mha
