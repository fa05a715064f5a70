// Seeded random embeddings and weights: the same numbers on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "mha/attention/stack.hpp"

namespace mha {

// Uniform numbers with mean 0 and a given standard deviation. std::mt19937_64 is the same
// everywhere by the C++ standard; its distributions are not, so the last step is ours.
class UniformNumbers {
 public:
  explicit UniformNumbers(std::uint64_t seed) : engine_(seed) {}
  void fill(MatrixView out, double standard_deviation);

 private:
  std::mt19937_64 engine_;
};

// One row for each token; the same token gets the same row in every input (standard deviation 1).
Matrix token_embeddings(const std::vector<std::string>& tokens, std::size_t d_model);

// W_Q, W_K, W_V, W_O with standard deviation 1 / sqrt(inputs), W_Q scaled up so that the heads
// visibly prefer some keys. No biases.
struct RandomWeights {
  Projection q, k, v, o;
};
RandomWeights random_weights(std::uint64_t seed, const HeadLayout& layout, std::size_t d_model,
                             std::size_t d_context);

}  // namespace mha
