// How much memory a run will need, worked out before it starts.
#pragma once

#include "mha/analysis/accumulator.hpp"
#include "mha/analysis/cell_maps.hpp"
#include "mha/source/source.hpp"

#include "options.hpp"

namespace mha::cli {

struct MemoryPlan {
  bool keeps_weights = false;
  bool keeps_outputs = false;
  bool draws = false;
  MapWindow window;
};

// Throws Error(kInput) naming the number needed when it is above the limit.
void check_memory(const OpenedInput& input, const Analysis& analysis, const MemoryPlan& plan,
                  const ResourceOptions& resources);

}  // namespace mha::cli
