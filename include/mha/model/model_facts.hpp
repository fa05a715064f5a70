// What a model's configuration means: in words, and as the work it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "mha/model/config.hpp"

namespace mha {

struct ModelFacts {
  std::string family;     // "GPT-2"
  std::string attention;  // "causal", "bidirectional"
  std::string windows;    // "none"; "4096 in layers 0-3, 5"
  std::string positions;  // "learned, up to 512 tokens"
  std::string norm;       // "layer norm before attention and feed-forward, epsilon 1e-05"
  std::string mlp;        // "256 wide, GELU (tanh)"; "172 wide, gated by SiLU"
};

ModelFacts describe_model(const ModelConfig& config);

// Multiply-adds of the forward pass over n tokens, all layers; masks are not counted as savings.
struct ModelWork {
  std::uint64_t projections = 0;  // to queries, keys and values, and of the output
  std::uint64_t attention = 0;    // Q K^T and A V
  std::uint64_t feed_forward = 0;
  std::uint64_t total() const { return projections + attention + feed_forward; }
};

ModelWork model_work(const ModelConfig& config, std::size_t n_tokens);

}  // namespace mha
