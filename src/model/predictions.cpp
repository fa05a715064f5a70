#include "mha/model/predictions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mha/base/parallel.hpp"

namespace mha {
namespace {

// Logits that are held at a time.
constexpr std::size_t kBlockFloats = std::size_t{8} << 20;

std::vector<PredictedToken> top_tokens(std::span<const float> logits, std::size_t k) {
  std::vector<std::uint32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0U);
  const std::size_t count = std::min(k, ids.size());
  // NaN is last, so that there is an order at all.
  const auto value = [&](std::uint32_t id) {
    return std::isnan(logits[id]) ? -INFINITY : logits[id];
  };
  std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return value(a) != value(b) ? value(a) > value(b) : a < b;
                    });
  const double total = log_sum_exp(logits);
  std::vector<PredictedToken> out;
  for (std::size_t i = 0; i < count; ++i) {
    const float logit = logits[ids[i]];
    out.push_back({ids[i], std::exp(static_cast<double>(logit) - total), logit});
  }
  return out;
}

}  // namespace

double log_sum_exp(std::span<const float> logits) {
  const auto largest = static_cast<double>(*std::ranges::max_element(logits));
  double sum = 0;
  for (const float z : logits) sum += std::exp(static_cast<double>(z) - largest);
  return largest + std::log(sum);
}

double divergence(std::span<const float> from, std::span<const float> to) {
  const double total_from = log_sum_exp(from);
  const double total_to = log_sum_exp(to);
  double sum = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double log_p = static_cast<double>(from[i]) - total_from;
    const double p = std::exp(log_p);
    if (p > 0) sum += p * (log_p - (static_cast<double>(to[i]) - total_to));
  }
  return std::max(sum, 0.0);  // rounding alone makes it negative
}

Matrix last_hidden(const TransformerRows& rows, std::size_t n_threads,
                   std::vector<Matrix>* inputs) {
  const std::size_t n_layers = rows.layers().size();
  std::vector<Matrix> outputs;
  StreamOptions options;
  options.n_threads = n_threads;
  options.layers = {n_layers - 1, n_layers};
  options.outputs = &outputs;
  options.inputs = inputs;
  NoRows unheard;
  rows.stream(unheard, options);
  return std::move(outputs.back());
}

void for_logits(const Transformer& model, ConstMatrix hidden, std::size_t n_threads,
                const std::function<void(std::size_t, ConstMatrix)>& use) {
  const std::size_t n_rows = std::max<std::size_t>(1, kBlockFloats / model.config().vocab_size);
  for (std::size_t first = 0; first < hidden.rows; first += n_rows) {
    const std::size_t count = std::min(n_rows, hidden.rows - first);
    const Matrix logits = model.logits(hidden.row_range(first, count), n_threads);
    use(first, logits.view());
  }
}

std::vector<Prediction> top_predictions(const Transformer& model, ConstMatrix hidden,
                                        const std::vector<std::size_t>& positions, std::size_t k,
                                        std::size_t n_threads) {
  Matrix rows(positions.size(), hidden.cols);
  std::vector<Prediction> out(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    std::ranges::copy(hidden.row(positions[i]), rows.view().row(i).begin());
    out[i].position = positions[i];
  }
  for_logits(model, std::as_const(rows).view(), n_threads,
             [&](std::size_t first, ConstMatrix logits) {
               parallel_for(logits.rows, n_threads, [&](std::size_t i, std::size_t) {
                 out[first + i].top = top_tokens(logits.row(i), k);
               });
             });
  return out;
}

}  // namespace mha
