#include "config_fields.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha::tok {

void fail_config(const std::string& place, const std::string& what, const std::string& expected,
                 const std::string& got) {
  fail_input(
      concat(place.empty() ? "/" : place, ": ", what, "; expected ", expected, ", got ", got));
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return std::string(text);
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string description(const Json& value) {
  switch (value.type()) {
    case Json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      return "the number " + value.dump();
    case Json::value_t::string:
      return "a string";
    case Json::value_t::array:
      return value.empty() ? "an empty array" : "an array";
    case Json::value_t::object:
      return "an object";
    default:
      return "null";
  }
}

ConfigFields::ConfigFields(const Json& object, std::string place,
                           const std::vector<std::string>& known)
    : object_(object), place_(std::move(place)) {
  if (!object_.is_object()) fail_config(place_, "wrong type", "an object", description(object_));
  for (const auto& [name, value] : object_.items()) {
    if (name == "type" || std::ranges::find(known, name) != known.end()) continue;
    std::string hint = spelling_hint(name, known);
    if (hint.empty()) hint = "known fields: " + join(known, ", ");
    fail_input(
        concat(place_, "/", shortened(name), ": field '", shortened(name), "' is not implemented"),
        hint);
  }
}

const Json* ConfigFields::find(std::string_view name) const {
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const Json& ConfigFields::required(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) fail_input(concat(place(name), ": missing"));
  return *value;
}

const Json& ConfigFields::array(std::string_view name) const {
  const Json& value = required(name);
  if (!value.is_array()) fail_config(place(name), "wrong type", "an array", description(value));
  return value;
}

const Json& ConfigFields::object(std::string_view name) const {
  const Json& value = required(name);
  if (!value.is_object()) fail_config(place(name), "wrong type", "an object", description(value));
  return value;
}

std::string ConfigFields::string(std::string_view name) const {
  return string_of(required(name), place(name));
}

std::optional<std::string> ConfigFields::optional_string(std::string_view name) const {
  const Json* value = find(name);
  return value == nullptr ? std::nullopt : std::optional(string_of(*value, place(name)));
}

std::optional<bool> ConfigFields::optional_boolean(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) {
    fail_config(place(name), "wrong type", "true or false", description(*value));
  }
  return value->get<bool>();
}

bool ConfigFields::boolean(std::string_view name, std::optional<bool> otherwise) const {
  const std::optional<bool> value = optional_boolean(name);
  if (!value && !otherwise) fail_input(concat(place(name), ": missing"));
  return value ? *value : *otherwise;
}

std::uint32_t ConfigFields::whole_number(std::string_view name, std::uint32_t at_most) const {
  return whole_number_of(required(name), place(name), at_most);
}

std::string type_of(const Json& value, const std::string& place) {
  if (!value.is_object()) fail_config(place, "wrong type", "an object", description(value));
  const auto found = value.find("type");
  if (found == value.end()) fail_input(place + "/type: missing");
  return string_of(*found, place + "/type");
}

std::string string_of(const Json& value, const std::string& place) {
  if (!value.is_string()) fail_config(place, "wrong type", "a string", description(value));
  return value.get<std::string>();
}

std::uint32_t whole_number_of(const Json& value, const std::string& place, std::uint32_t at_most) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > at_most) {
    fail_config(place, "wrong number", concat("a whole number from 0 to ", at_most),
                description(value));
  }
  return value.get<std::uint32_t>();
}

}  // namespace mha::tok
