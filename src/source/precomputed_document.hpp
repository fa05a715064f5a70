// Documents with attention_weights: nothing is computed. The tool's own attention.json is one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mha/source/source.hpp"

#include "arrays.hpp"
#include "fields.hpp"

namespace mha {

struct PrecomputedFields {
  JsonNode& root;
  const Fields& fields;
  ArrayLoader& arrays;
  const RuleDefaults& defaults;
  const std::optional<std::vector<std::string>>& tokens;
};

// Fills in tokens, key_tokens, rows, head names and warnings.
void read_precomputed(const PrecomputedFields& document, OpenedInput* out);

}  // namespace mha
