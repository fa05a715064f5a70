// What a stream owes in each layer of a stack, by the options of the stream.
#pragma once

#include <algorithm>
#include <cstddef>

#include "mha/attention/row_block.hpp"

namespace mha {

// The layer to start with: the first whose rows are wanted, or one below it whose input is not
// known yet.
inline std::size_t first_layer_to_run(const StreamOptions& options) {
  const std::size_t n_known = options.inputs == nullptr ? 0 : options.inputs->size();
  return std::min(options.layers.first, n_known);
}

struct LayerPlan {
  LayerPlan(std::size_t layer, std::size_t n_layers, const StreamOptions& options)
      : is_asked(options.layers.contains(layer)),
        keeps_next(options.inputs != nullptr && options.inputs->size() == layer &&
                   layer + 1 < n_layers),
        wants_next(keeps_next || layer + 1 < std::min(options.layers.end, n_layers)),
        wants_output(wants_next || options.outputs != nullptr) {}

  bool is_asked;      // its rows, output and observers
  bool keeps_next;    // the input of the next layer goes to options.inputs
  bool wants_next;    // that input is needed, to be kept or to go on
  bool wants_output;  // what leaves the layer is needed for anything
};

}  // namespace mha
