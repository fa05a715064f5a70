// Rollout of chosen tokens through layers that are too large to hold.
#pragma once

#include <cstddef>
#include <vector>

#include "mha/attention/row_block.hpp"

namespace mha {

// Rows of the last R_l for these tokens: (token, key).
Matrix token_rollout(const RowSource& source, const std::vector<std::size_t>& tokens,
                     std::size_t n_threads);

}  // namespace mha
