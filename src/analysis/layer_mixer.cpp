#include "layer_mixer.hpp"

#include <cmath>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "mean_rows.hpp"

namespace mha {
namespace {

class MeanSink : public RowSink {
 public:
  explicit MeanSink(const LayerInfo& info) : mean_(info) {}
  void add(const RowBlock& block) override { mean_.add(block); }
  const MeanRows& mean() const { return mean_; }

 private:
  MeanRows mean_;
};

}  // namespace

std::size_t common_tokens(const RowSource& source) {
  const std::vector<LayerInfo>& layers = source.layers();
  if (layers.empty()) fail_input("there are no layers to go through");
  const std::size_t n = layers.front().shape.n_query;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const AttentionShape& shape = layers[l].shape;
    if (shape.is_cross) {
      fail_input(concat("layer ", l,
                        " is cross-attention: its keys are not the tokens of the layer below"));
    }
    if (shape.n_query != n || shape.n_key != n) {
      fail_input(concat("layer ", l,
                        " does not join the tokens of one layer to the same tokens of "
                        "the next; expected ",
                        n, "x", n, " weights, got ", shape.n_query, "x", shape.n_key));
    }
  }
  return n;
}

void check_tokens(const std::vector<std::size_t>& tokens, std::size_t n_tokens) {
  for (std::size_t token : tokens) {
    if (token >= n_tokens) {
      fail_usage(concat("there is no token ", token, "; expected 0 to ", n_tokens - 1));
    }
  }
}

void LayerMixer::rows(std::size_t layer, const Receive& receive) {
  MeanSink sink(source_.layers()[layer]);
  stream({layer, layer + 1}, sink);
  std::vector<double> mixed(source_.layers()[layer].shape.n_key);
  sink.mean().stream(layer, [&](const RowBlock& block) {
    for (std::size_t r = 0; r < block.weights.rows; ++r) {
      const std::size_t query = block.first_query + r;
      double sum = 1;
      for (float weight : block.weights.row(r)) sum += static_cast<double>(weight);
      if (!std::isfinite(sum)) fail_not_finite(layer, query);
      for (std::size_t j = 0; j < mixed.size(); ++j) {
        mixed[j] = (static_cast<double>(block.weights(r, j)) + (j == query ? 1 : 0)) / sum;
      }
      receive(query, mixed);
    }
  });
}

void LayerMixer::stream(LayerRange layers, RowSink& sink) {
  StreamOptions options;
  options.n_threads = n_threads_;
  options.layers = layers;
  options.inputs = &inputs_;
  source_.stream(sink, options);
}

void fail_not_finite(std::size_t layer, std::size_t query) {
  fail_input(concat("layer ", layer, " query ", query,
                    ": weights that are not finite cannot be followed through the layers"));
}

}  // namespace mha
