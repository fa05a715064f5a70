// The heads that `steps` shows, walked through, with the token pair of each.
#pragma once

#include <string>
#include <vector>

#include "mha/analysis/walk_pair.hpp"
#include "mha/analysis/walkthrough.hpp"
#include "mha/source/source.hpp"

#include "options.hpp"
#include "selection.hpp"

namespace mha::cli {

// Longer inputs are refused: every step of a head is kept, queries x keys.
inline constexpr std::size_t kMostWalkedTokens = 512;

struct WalkedHead {
  HeadId id;
  std::string name;                     // "L0H3"
  std::vector<std::string> head_names;  // "H0", ...: all heads of the layer
  Walkthrough walk;
  PairNumbers numbers;
};

struct WalkedInput {
  const OpenedInput& input;
  std::vector<std::string> queries;  // as labels show them
  std::vector<std::string> keys;
  std::vector<WalkedHead> heads;
  std::vector<std::string> remarks;   // how the options were understood
  std::vector<std::string> warnings;  // what looks wrong with the numbers
};

// Walks through the heads that the options select; through the first head where they name none.
// Throws Error(kInput) for an input without steps, or one that is too long.
WalkedInput walk_input(const OpenedInput& input, const StepsOptions& options);

// "it" (query 9), "creature" (key 2); with the quotes.
std::string query_name(const WalkedInput& input, const WalkedHead& head);
std::string key_name(const WalkedInput& input, const WalkedHead& head);

}  // namespace mha::cli
