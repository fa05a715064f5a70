// The fields of one JSON object of a tokenizer file, checked as they are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace mha::tok {

using Json = nlohmann::json;

[[noreturn]] void fail_config(const std::string& place, const std::string& what,
                              const std::string& expected, const std::string& got);

// Text of a file as messages quote it: not by the page.
std::string shortened(std::string_view text);

// "null", "true", "the number 3", "a string", "an array", "an object".
std::string description(const Json& value);

class ConfigFields {
 public:
  // `place` is a JSON pointer. Fields that are not in `known` are refused; "type" is known.
  ConfigFields(const Json& object, std::string place, const std::vector<std::string>& known);

  const std::string& place() const { return place_; }
  std::string place(std::string_view name) const { return place_ + "/" + std::string(name); }
  // The value, or nullptr where it is absent or null.
  const Json* find(std::string_view name) const;
  const Json& array(std::string_view name) const;   // required
  const Json& object(std::string_view name) const;  // required
  std::string string(std::string_view name) const;  // required
  std::optional<std::string> optional_string(std::string_view name) const;
  bool boolean(std::string_view name, std::optional<bool> otherwise) const;  // unset: required
  std::optional<bool> optional_boolean(std::string_view name) const;
  std::uint32_t whole_number(std::string_view name, std::uint32_t at_most) const;  // required

 private:
  const Json& required(std::string_view name) const;
  const Json& object_;
  std::string place_;
};

// The "type" of a component. Throws where there is none.
std::string type_of(const Json& value, const std::string& place);
std::string string_of(const Json& value, const std::string& place);
std::uint32_t whole_number_of(const Json& value, const std::string& place, std::uint32_t at_most);

constexpr std::uint32_t kLargestId = 0xFFFFFFFE;

}  // namespace mha::tok
