// Values of config.json, with messages that name the key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mha/io/json.hpp"

namespace mha {

[[noreturn]] void fail_value(std::string_view key, std::string_view expected, std::string_view got);

// A member that is there and not null, or null.
const JsonNode* find_value(const JsonNode& object, std::string_view key);

// A whole number from `least` to `most`, or nothing where the file has none or null.
struct CountRange {
  std::size_t least = 1;
  std::size_t most = 1'000'000'000;
};
std::optional<std::size_t> optional_count(const JsonNode& object, std::string_view key,
                                          CountRange range = {});
std::size_t count_in(const JsonNode& object, std::string_view key, CountRange range = {});

std::optional<double> optional_number(const JsonNode& object, std::string_view key);
std::optional<double> optional_positive(const JsonNode& object, std::string_view key);
bool flag_in(const JsonNode& object, std::string_view key, bool otherwise);

// A value as a message writes it: "true", "\"absolute\"", "an object".
std::string json_form(const JsonNode& node);

}  // namespace mha
