// Typed access to the fields of a JSON object, with messages that say where, what, expected, got.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mha/io/json.hpp"

namespace mha {

// Throws Error(kInput): "POINTER: what; expected X, got Y".
[[noreturn]] void fail_field(const std::string& pointer, const std::string& what,
                             const std::string& expected, const std::string& got);

class Fields {
 public:
  // `node` must be an object whose members all appear in `known` (the name of a list of
  // known_fields()); anything else is an error with a spelling suggestion.
  Fields(const JsonNode& node, std::string pointer, const char* known);

  const JsonNode* find(std::string_view name) const { return node_.find(name); }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::string pointer(std::string_view name) const { return pointer_ + "/" + std::string(name); }
  const std::string& pointer() const { return pointer_; }

  // The value of a field, or nothing when it is absent; a value of another type is an error.
  std::optional<double> number(std::string_view name) const;
  std::optional<double> positive(std::string_view name) const;  // above 0
  std::optional<bool> boolean(std::string_view name) const;
  std::optional<std::string> string(std::string_view name) const;
  std::optional<std::size_t> count(std::string_view name, std::size_t at_least) const;
  // One of `words`, as its index.
  std::optional<std::size_t> choice(std::string_view name,
                                    const std::vector<std::string>& words) const;

 private:
  const JsonNode& node_;
  std::string pointer_;
};

// A list of strings; an empty array is an empty list.
std::vector<std::string> string_list(const JsonNode& node, const std::string& pointer);

// A list of whole numbers from 0 to 16777215: beyond, float32 does not hold each of them.
std::vector<std::size_t> count_list(const JsonNode& node, const std::string& pointer);

// Entry i of a list of numbers as an index below `size`.
std::size_t checked_index(double value, std::size_t size, const std::string& pointer);

}  // namespace mha
