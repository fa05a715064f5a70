// What stands between the attention layers of a transformer: norms and activations.
#pragma once

#include <vector>

#include "mha/model/config.hpp"
#include "mha/tensor/matrix.hpp"

namespace mha {

// Scale and shift of a layer norm: d_model each, the shift may be left out.
struct LayerNorm {
  std::vector<float> weight;
  std::vector<float> bias;
  bool empty() const { return weight.empty(); }
};

// Each row to mean 0 and variance 1, then times weight plus bias (Ba et al. 2016). In place.
void layer_norm(const LayerNorm& norm, double epsilon, MatrixView x);

void activate(Activation activation, MatrixView x);

}  // namespace mha
