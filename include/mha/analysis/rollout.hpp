// Attention rollout: how much of each input token is in each token, through all layers.
#pragma once

#include <cstddef>
#include <vector>

#include "mha/attention/row_block.hpp"

namespace mha {

struct RolloutOptions {
  std::vector<std::size_t> tokens;  // queries to roll out; empty: all
  std::size_t dense_limit = 2048;   // up to so many tokens every R_l is held, (n, n) floats each
  std::size_t n_threads = 0;        // 0 = all cores; never changes a result
};

// Rows of R_l = Abar_l R_(l-1), R_0 = Abar_0, where Abar = (A + I) with rows divided by their sums
// and A is the mean over the heads (Abnar & Zuidema 2020). Every row sums to 1; a fully masked row
// of A makes a row of I.
struct Rollout {
  std::vector<std::size_t> tokens;  // the query of each row
  Matrix last;                      // rows of the last R_l (token, key)
  std::vector<Matrix> below;        // the same of R_0 to R_(L-2); empty above the dense limit
};

// Above the dense limit the rows of the chosen tokens are multiplied by Abar from the last layer
// down while rows stream: nothing of n x n is held, each layer is streamed twice, and a stack keeps
// the input of each layer meanwhile. Throws Error(kInput) for cross-attention, for layers that are
// not square or not of one size, for weights that are not finite, and where no token is chosen
// above the dense limit; Error(kUsage) for a token that does not exist.
Rollout rollout(const RowSource& source, const RolloutOptions& options);

}  // namespace mha
