// Which heads a command shows: --layers 0-3,7 and --heads L4H11,L5H*,L5mean.
#pragma once

#include <string>
#include <vector>

#include "mha/analysis/accumulator.hpp"
#include "mha/analysis/score_totals.hpp"
#include "mha/source/source.hpp"

#include "options.hpp"

namespace mha::cli {

struct SelectedHeads {
  std::vector<HeadSlot> slots;             // in the order of layers and heads
  std::vector<std::string> names;          // "L0H3", "L0mean"
  std::vector<std::size_t> layer_numbers;  // the layer in each name
  std::vector<HeadId> ids;                 // the numbers in each name
};

// All heads unless the options name some. Throws Error(kUsage) for a head or layer that the input
// does not have, and when none is left.
SelectedHeads select_heads(const OpenedInput& input, const SelectionOptions& options);

// Whether the options select anything at all.
bool selects_part(const SelectionOptions& options);

// "100-199" as [100, 200), within [0, count). Throws Error(kUsage).
QueryRange parse_range_option(const std::string& flag, const std::string& text, std::size_t count);

// The queries that --query-range selects; all without it.
QueryRange select_queries(const OpenedInput& input, const SelectionOptions& options);

// A token named by its text (as it is, or as labels show it, with or without its space mark), where
// only one token has it, or by its index. Throws Error(kUsage) with suggestions, or with the
// indices to choose from.
std::size_t find_token(const std::string& flag, const std::string& text,
                       const std::vector<std::string>& tokens);

}  // namespace mha::cli
