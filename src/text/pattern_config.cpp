#include "pattern_config.hpp"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

namespace mha::tok {

void fail_kind(const std::string& place, const std::string& kind, const std::string& noun,
               const std::vector<std::string>& known) {
  fail_input(concat(place, ": ", noun, " '", shortened(kind), "' is not implemented"),
             "known: " + join(known, ", "));
}

Pattern read_pattern(const Json& config, const std::string& place) {
  const ConfigFields fields(config, place, {"String", "Regex"});
  if (config.size() != 1) {
    fail_config(place, "wrong pattern", "either 'String' or 'Regex'",
                count_text(config.size(), "field"));
  }
  if (fields.find("String") != nullptr) return pattern_of_string(fields.string("String"));
  const std::string regex = fields.string("Regex");
  try {
    return pattern_of_regex(regex);
  } catch (const Error& error) {
    throw error.at(fields.place("Regex"));
  }
}

Behavior read_behavior(const ConfigFields& fields, std::optional<Behavior> otherwise) {
  constexpr std::array<std::pair<std::string_view, Behavior>, 5> kBehaviors = {{
      {"Removed", Behavior::kRemoved},
      {"Isolated", Behavior::kIsolated},
      {"MergedWithPrevious", Behavior::kMergedWithPrevious},
      {"MergedWithNext", Behavior::kMergedWithNext},
      {"Contiguous", Behavior::kContiguous},
  }};
  if (otherwise && fields.find("behavior") == nullptr) return *otherwise;
  const std::string name = fields.string("behavior");
  std::vector<std::string> known;
  for (const auto& [text, behavior] : kBehaviors) {
    if (text == name) return behavior;
    known.emplace_back(text);
  }
  fail_kind(fields.place("behavior"), name, "behaviour", known);
}

std::string one_character(const ConfigFields& fields, const char* name) {
  std::string text = fields.string(name);
  if (count_code_points(text) != 1) {
    fail_config(fields.place(name), "wrong text", "one character", "'" + shortened(text) + "'");
  }
  return text;
}

}  // namespace mha::tok
