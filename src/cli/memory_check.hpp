// How much memory a run will need, worked out before it starts.
#pragma once

#include "mha/analysis/accumulator.hpp"
#include "mha/analysis/cell_maps.hpp"
#include "mha/render/style.hpp"
#include "mha/source/source.hpp"

#include "options.hpp"

namespace mha::cli {

struct MemoryPlan {
  bool keeps_weights = false;
  bool keeps_outputs = false;
  bool draws = false;
  std::size_t top_k = 0;
  std::size_t further_bytes = 0;  // pictures and rows that are kept beside all that
  MapWindow window;
  render::PictureStyle style;  // with draws
};

// How the engine keeps within the memory allowed.
struct BlockPlan {
  std::size_t block_rows = 0;  // 0: the engine's own choice
  std::size_t n_threads = 0;
  std::size_t n_drawing_threads = 0;  // pictures drawn side by side
};

// What a model of this configuration holds while n tokens run through it, beside its mapped file:
// one layer's weights and the widest of what stands between layers.
double model_bytes(const ModelConfig& config, std::size_t n_tokens, bool keeps_outputs);

// Throws Error(kInput) naming the memory needed when not even a few rows, or one picture,
// fit.
BlockPlan plan_memory(const OpenedInput& input, const Analysis& analysis, const MemoryPlan& plan,
                      const ResourceOptions& resources);

}  // namespace mha::cli
