// The "weights" object of a document, and the layers that it makes together with "attention".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mha/attention/stack.hpp"

#include "arrays.hpp"
#include "attention_fields.hpp"

namespace mha {

// One array of a weights object and where it stands.
struct WeightArray {
  Tensor tensor;
  std::string pointer;
};

// A weights object as written. Exactly one of: arrays (W_Q, W_K and W_V at least), or a seed.
struct WeightFields {
  std::optional<std::uint64_t> random_seed;
  bool out_in = false;  // matrices are stored [out][in], as torch.nn.Linear does
  std::optional<WeightArray> w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o;
  std::string pointer;
};

WeightFields read_weights(JsonNode& node, const std::string& pointer, ArrayLoader& arrays);

// Widths that a layer has to fit.
struct LayerWidths {
  std::size_t d_model = 0;
  std::optional<std::size_t> d_context;                  // cross-attention
  const char* of_model = "the width of the embeddings";  // what d_model is, for messages
  std::size_t max_bytes = SIZE_MAX;                      // of random weights
};

// Works out heads and widths from both objects and builds the layer. A note says so where weights
// are random.
AttentionLayer make_layer(const AttentionFields& attention, const WeightFields& weights,
                          const AttentionShape& shape, const LayerWidths& widths);

// Number of heads when nothing says it: 4 where that divides d_model, else 1.
std::size_t default_head_count(std::size_t d_model);

}  // namespace mha
