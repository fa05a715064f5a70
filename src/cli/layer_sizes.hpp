// How wide the layers of an input are, where it is known what they read and write.
#pragma once

#include <cstddef>
#include <vector>

#include "mha/source/source.hpp"

namespace mha::cli {

struct LayerSizes {
  AttentionShape shape;
  HeadLayout heads;
  double scale = 0;  // factor of Q K^T
  std::size_t d_model = 0;
  std::size_t d_context = 0;  // d_model, but in cross-attention
  std::size_t d_out = 0;
};

// One entry a layer; none where attention is known or starts from queries and keys.
std::vector<LayerSizes> layer_sizes(const OpenedInput& input);

}  // namespace mha::cli
