// What each head adds to the output of its layer, and what its value circuit does to a token.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mha/attention/layer_observer.hpp"
#include "mha/attention/stack.hpp"

namespace mha {

// o_h = sum_j A_h[i,j] f_h(x_j) is what head h adds to query i, y = sum_h o_h (without b_O).
// Both are (head, query); NaN where y = 0.
struct LayerContributions {
  Matrix share;     // (o_h . y) / ||y||^2: adds up to 1 over the heads, negative against the rest
  Matrix ablation;  // ||o_h|| / ||y||: how far y moves when the head is taken out
};

// Contributions of each layer that is streamed with this observer.
class Contributions : public LayerObserver {
 public:
  explicit Contributions(std::size_t n_threads = 0) : n_threads_(n_threads) {}

  bool wants_heads() const override { return true; }
  void after_rows(const LayerValues& values, ConstMatrix heads) override;

  // Throws Error(kInput) when the source did not know V.
  const LayerContributions& layer(std::size_t layer) const;

 private:
  std::size_t n_threads_;
  std::vector<LayerContributions> layers_;
};

// The weights of all heads of one layer that layer_maps() holds at a time (512 MiB).
inline constexpr std::size_t kLayerMapWeights = std::size_t{1} << 27;

// || sum_h A_h[i,j] f_h(x_j) || of the chosen layers, (query, key) each: the norm of the sum over
// heads (Kobayashi et al. 2020), by the Gram matrices of f_h(x_j) over h. Throws Error(kInput) when
// a layer has more than kLayerMapWeights weights or the source does not know V.
std::vector<Matrix> layer_maps(const RowSource& source, const std::vector<std::size_t>& layers,
                               const StreamOptions& options);

struct CopyingScore {
  std::optional<double> value;  // from -1 to 1
  std::string reason;           // why there is no value
};

// sum Re(lambda) / sum |lambda| over the eigenvalues of W_O^h W_V^h (d_value, d_value), which has
// the same non-zero eigenvalues as the OV circuit W_V^h W_O^h, for each head: 1 when the head
// writes what it reads (after Elhage et al. 2021, whose score has embedding and unembedding around
// it). Needs an output as wide as what the values are computed from.
std::vector<CopyingScore> copying_scores(const AttentionLayer& layer, std::size_t n_threads);

}  // namespace mha
