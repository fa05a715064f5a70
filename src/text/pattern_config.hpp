// What components of tokenizer.json share: their kinds, patterns and behaviours.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "config_fields.hpp"
#include "split.hpp"

namespace mha::tok {

[[noreturn]] void fail_kind(const std::string& place, const std::string& kind,
                            const std::string& noun, const std::vector<std::string>& known);

// The entry of a component's "type" in a table of kinds; a kind that is not there is refused by
// name.
template <typename Table>
typename Table::const_iterator find_kind(const Table& kinds, const Json& config,
                                         const std::string& place, const std::string& noun) {
  const std::string type = type_of(config, place);
  const auto found = kinds.find(type);
  if (found != kinds.end()) return found;
  std::vector<std::string> known;
  for (const auto& [name, kind] : kinds) known.push_back(name);
  fail_kind(place, type, noun, known);
}

// {"String": "..."} or {"Regex": "..."}.
Pattern read_pattern(const Json& config, const std::string& place);
// "Removed", "Isolated" and so on; without a default the field is required.
Behavior read_behavior(const ConfigFields& fields, std::optional<Behavior> otherwise);
// A string of exactly one character.
std::string one_character(const ConfigFields& fields, const char* name);

}  // namespace mha::tok
