// Abar of one layer after another: what rollout and flow are made of.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "mha/attention/row_block.hpp"

namespace mha {

// Throws Error(kInput) unless every layer is self-attention of n queries and n keys; returns n.
std::size_t common_tokens(const RowSource& source);

// Throws Error(kUsage) when one of the tokens does not exist.
void check_tokens(const std::vector<std::size_t>& tokens, std::size_t n_tokens);

class LayerMixer {
 public:
  LayerMixer(const RowSource& source, std::size_t n_threads)
      : source_(source), n_threads_(n_threads) {}

  // Hands the rows of Abar = (A + I) / row sums of the layer to `receive`, from query 0 on; A is
  // the mean over the heads. Holds (n, n) sums. Throws Error(kInput) where a weight is not finite.
  using Receive = std::function<void(std::size_t query, std::span<const double> row)>;
  void rows(std::size_t layer, const Receive& receive);

  // Streams the heads of layers to a sink; a layer's input is computed only once.
  void stream(LayerRange layers, RowSink& sink);

 private:
  const RowSource& source_;
  const std::size_t n_threads_;
  std::vector<Matrix> inputs_;
};

// Throws Error(kInput): a weight of this row is not finite.
[[noreturn]] void fail_not_finite(std::size_t layer, std::size_t query);

}  // namespace mha
