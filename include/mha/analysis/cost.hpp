// What multi-head attention costs, stage by stage, beside one head of full width: splitting d_model
// over heads keeps the multiply-adds the same and multiplies only the softmax rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mha/attention/stack.hpp"

namespace mha {

struct StageCost {
  std::string stage;  // "project", "scores", "softmax", "weighted sum", "output"
  std::uint64_t multiply_adds = 0;
  std::uint64_t bytes = 0;  // float32 arrays that the stage reads and writes, each once
};

// Costs of one layer from its shapes; masks are not counted as savings.
std::vector<StageCost> layer_cost(const HeadLayout& layout, const AttentionShape& shape,
                                  std::size_t d_model, std::size_t d_context, std::size_t d_out);

// The same layer with one head as wide as all of its heads together.
HeadLayout full_width_head(const HeadLayout& layout);

}  // namespace mha
