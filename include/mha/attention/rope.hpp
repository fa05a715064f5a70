// Rotary position embeddings (Su et al. 2021), applied to queries and keys before their product.
#pragma once

#include "mha/attention/rule.hpp"
#include "mha/tensor/matrix.hpp"

namespace mha {

// Rotates each head of `x` (rows, n_heads * d_head) in place; row i stands at position
// first_position + i. Pair t of d_rot/2 turns by position * theta^(-2t / d_rot), or by position
// times its own frequency, and is multiplied by the magnitude; dimensions from d_rot on stay.
// Angles are computed in double.
void apply_rope(const Rope& rope, std::size_t first_position, std::size_t d_head, MatrixView x,
                std::size_t n_threads);

// X[p, 2t] += sin(p / 10000^(2t / d_model)), X[p, 2t + 1] += cos of the same (Vaswani et al. 2017).
void add_sinusoidal_positions(MatrixView x);

}  // namespace mha
