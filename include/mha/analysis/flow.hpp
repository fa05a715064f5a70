// Attention flow: how much can flow from a token of the last layer to each input token.
#pragma once

#include <cstddef>
#include <vector>

#include "mha/attention/row_block.hpp"

namespace mha {

struct FlowOptions {
  std::vector<std::size_t> tokens;                // queries of the last layer
  std::size_t cell_limit = std::size_t{1} << 18;  // of all layers: n_layers n^2
  std::size_t n_threads = 0;                      // 0 = all cores; never changes a result
};

// Both are (token, key), in the order of options.tokens.
struct Flow {
  Matrix raw;         // maximum flow, at most 1
  Matrix normalised;  // each row divided by its sum
};

// The maximum flow through the graph whose layer l joins token i above to token j below with the
// capacity Abar_l[i,j] of rollout.hpp (Abnar & Zuidema 2020); for one layer it is Abar itself. One
// flow problem for each token and key, by Dinic's algorithm in double precision. Throws as
// rollout() does, and Error(kInput) above the cell limit.
Flow attention_flow(const RowSource& source, const FlowOptions& options);

}  // namespace mha
