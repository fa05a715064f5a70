// Norms of rows, in place. Sums are in double precision.
#pragma once

#include <span>

#include "mha/tensor/matrix.hpp"

namespace mha {

// Each row to mean 0 and variance 1, then times weight plus bias (Ba et al. 2016). weight has an
// entry for each column; bias too, or none.
void layer_norm(std::span<const float> weight, std::span<const float> bias, double epsilon,
                MatrixView x);

// Each row divided by its root mean square, then times weight (Zhang and Sennrich 2019).
void rms_norm(std::span<const float> weight, double epsilon, MatrixView x);

}  // namespace mha
