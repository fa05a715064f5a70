// The "attention" object of a document.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "mha/attention/rule.hpp"
#include "mha/source/source.hpp"

#include "arrays.hpp"

namespace mha {

// An attention object as written: what is absent here comes from the level above (layer, document,
// flags, default).
struct AttentionFields {
  std::optional<std::size_t> n_heads, n_kv_heads, d_head, window;
  std::optional<double> scale, temperature, softcap;
  std::optional<bool> causal;
  std::optional<PositionKind> position;
  Rope rope;
  std::optional<Tensor> mask;                   // (n_query, n_key), 0 or 1
  std::optional<Tensor> valid_keys;             // (n_key), 0 or 1
  std::optional<Tensor> bias;                   // (n_heads, n_query, n_key) or (n_query, n_key)
  std::string pointer = "/attention";           // where the object stands, for messages
  std::map<std::string, std::string> pointers;  // where each field stands that an object gives

  // Where a field stands, or where it would stand.
  std::string pointer_to(const std::string& field) const;
};

AttentionFields read_attention(JsonNode& node, const std::string& pointer, ArrayLoader& arrays);

AttentionFields from_defaults(const RuleDefaults& defaults);

// `upper` wherever `lower` says nothing.
AttentionFields with_defaults(AttentionFields lower, const AttentionFields& upper);

// The rule for a layer of this shape; checks the shapes of mask, valid_keys and bias.
AttentionRule make_rule(const AttentionFields& fields, const AttentionShape& shape,
                        std::size_t n_heads);

}  // namespace mha
