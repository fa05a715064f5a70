// A sink that keeps everything, and random matrices for tests.
#pragma once

#include <mutex>
#include <random>
#include <vector>

#include "mha/attention/row_block.hpp"

namespace mha::test {

// All rows of one layer as (head, query, key), with what their masks said.
class Collect : public RowSink {
 public:
  Collect(std::size_t n_heads, const AttentionShape& shape)
      : shape_(shape),
        weights(n_heads * shape.n_query * shape.n_key, -1.0F),
        allowed(weights.size(), 0),
        n_allowed(n_heads * shape.n_query, 0) {}

  void add(const RowBlock& block) override {
    for (std::size_t r = 0; r < block.weights.rows; ++r) {
      const std::size_t row = block.head * shape_.n_query + block.first_query + r;
      n_allowed[row] = block.masks[r].n_allowed;
      for (std::size_t j = 0; j < shape_.n_key; ++j) {
        weights[row * shape_.n_key + j] = block.weights(r, j);
        allowed[row * shape_.n_key + j] = block.masks[r].allows(j) ? 1 : 0;
      }
    }
  }

 private:
  AttentionShape shape_;

 public:
  std::vector<float> weights;
  std::vector<std::uint8_t> allowed;
  std::vector<std::size_t> n_allowed;
};

inline Matrix random_matrix(std::size_t rows, std::size_t cols, unsigned seed, float size = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0, size);
  Matrix out(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < cols; ++c) out(i, c) = normal(engine);
  }
  return out;
}

}  // namespace mha::test
