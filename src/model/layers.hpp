// What stands between the attention layers of a transformer: norms and feed-forward.
#pragma once

#include "mha/model/config.hpp"
#include "mha/tensor/matrix.hpp"

#include "checkpoint.hpp"

namespace mha {

// Each row to mean 0 and variance 1, then times weight plus bias (Ba et al. 2016). In place.
void layer_norm(const LayerNorm& norm, double epsilon, MatrixView x);

void activate(Activation activation, MatrixView x);

// x + y, in place of x.
void add_rows(MatrixView x, ConstMatrix y);

// W x + b for each row.
Matrix project(const Projection& projection, ConstMatrix x, std::size_t n_threads);

}  // namespace mha
