#include "mha/analysis/contribution.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"
#include "mha/tensor/eigen.hpp"
#include "mha/tensor/gemm.hpp"

#include "head_images.hpp"

namespace mha {
namespace {

// Shares and ablations of query `query`, which is row `row` of the images; y has d_out entries.
void contributions_of(const HeadImages& images, std::size_t row, std::size_t query,
                      std::vector<double>* y, LayerContributions* out) {
  const std::size_t n_heads = out->share.rows();
  std::ranges::fill(*y, 0.0);
  for (std::size_t h = 0; h < n_heads; ++h) {
    const std::span<const float> o = images.image(h, row);
    double* to = y->data() + images.first_column(h);
    for (std::size_t c = 0; c < o.size(); ++c) to[c] += static_cast<double>(o[c]);
  }
  double y_squared = 0;
  for (double value : *y) y_squared += value * value;
  for (std::size_t h = 0; h < n_heads; ++h) {
    const std::span<const float> o = images.image(h, row);
    const double* with = y->data() + images.first_column(h);
    double product = 0;
    for (std::size_t c = 0; c < o.size(); ++c) product += static_cast<double>(o[c]) * with[c];
    const double size = std::sqrt(dot(o, o));
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    const bool has_output = y_squared != 0;
    out->share(h, query) = has_output ? static_cast<float>(product / y_squared) : kNone;
    out->ablation(h, query) = has_output ? static_cast<float>(size / std::sqrt(y_squared)) : kNone;
  }
}

std::string reason_against_copying(const AttentionLayer& layer) {
  const ConstMatrix w_v = layer.value_weight(0);
  if (layer.weights.o.weight.empty()) return "the layer has no W_O";
  if (layer.d_out() != w_v.rows) {
    return concat("the output is not as wide as what the values are computed from: ", layer.d_out(),
                  " and ", w_v.rows);
  }
  return {};
}

// W_O^h W_V^h; its entries are as exact as the weights, which are floats.
SquareMatrix ov_matrix(const AttentionLayer& layer, std::size_t head) {
  const std::size_t d_value = layer.layout.d_value;
  const ConstMatrix w_o = layer.weights.o.weight.view().row_range(head * d_value, d_value);
  Matrix product(d_value, d_value);
  gemm(1.0F, w_o, layer.value_weight(head), 0.0F, product.view());
  SquareMatrix out(d_value);
  for (std::size_t i = 0; i < d_value; ++i) {
    for (std::size_t j = 0; j < d_value; ++j) out(i, j) = static_cast<double>(product(i, j));
  }
  return out;
}

CopyingScore copying_score(const AttentionLayer& layer, std::size_t head) {
  const SquareMatrix ov = ov_matrix(layer, head);
  if (!std::ranges::all_of(ov.values, [](double value) { return std::isfinite(value); })) {
    return {std::nullopt, "W_O W_V is not finite"};
  }
  double real = 0;
  double size = 0;
  for (const std::complex<double>& lambda : eigenvalues(ov)) {
    real += lambda.real();
    size += std::abs(lambda);
  }
  if (size == 0) return {std::nullopt, "all eigenvalues of W_O W_V are zero"};
  return {real / size, {}};
}

}  // namespace

void Contributions::after_rows(const LayerValues& values, ConstMatrix heads) {
  const std::size_t n_query = values.shape.n_query;
  const std::size_t n_heads = values.layout.n_heads;
  LayerContributions out{Matrix(n_heads, n_query), Matrix(n_heads, n_query)};
  const std::size_t tile = HeadImages::tile_rows(values);
  std::vector<HeadImages> images(effective_threads(n_threads_), HeadImages(values));
  parallel_for(ceil_div(n_query, tile), n_threads_, [&](std::size_t item, std::size_t worker) {
    const std::size_t first = item * tile;
    const std::size_t n_rows = std::min(tile, n_query - first);
    images[worker].load_heads(heads, first, n_rows);
    std::vector<double> y(values.d_out());
    for (std::size_t r = 0; r < n_rows; ++r) {
      contributions_of(images[worker], r, first + r, &y, &out);
    }
  });
  layers_.resize(std::max(layers_.size(), values.layer + 1));
  layers_[values.layer] = std::move(out);
}

const LayerContributions& Contributions::layer(std::size_t layer) const {
  if (layer >= layers_.size() || layers_[layer].share.empty()) {
    fail_input(
        concat("layer ", layer, ": contributions of heads need V, which this input does not have"));
  }
  return layers_[layer];
}

std::vector<CopyingScore> copying_scores(const AttentionLayer& layer, std::size_t n_threads) {
  const std::string reason = reason_against_copying(layer);
  std::vector<CopyingScore> out(layer.layout.n_heads, {std::nullopt, reason});
  if (!reason.empty()) return out;
  parallel_for(out.size(), n_threads,
               [&](std::size_t head, std::size_t) { out[head] = copying_score(layer, head); });
  return out;
}

}  // namespace mha
