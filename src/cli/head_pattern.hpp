// How flags name heads: L4H11, L5H*, L*H0, L5mean.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mha/source/source.hpp"

namespace mha::cli {

// One entry of a list: a layer or any layer, and a head, all heads ("*") or the mean.
struct HeadPattern {
  std::size_t layer = 0;
  bool any_layer = false;
  std::optional<std::size_t> head;
  bool is_mean = false;
  std::string text;
  bool used = false;  // for callers that check that each entry names something

  bool covers(const HeadName& name) const;
};

// "L4H11,L5H*". Throws Error(kUsage) that names the flag.
std::vector<HeadPattern> parse_head_patterns(const std::string& flag, const std::string& list);

}  // namespace mha::cli
