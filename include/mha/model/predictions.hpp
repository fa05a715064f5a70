// What a transformer predicts: the most probable tokens, and how good or how different predictions
// are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mha/model/transformer.hpp"

namespace mha {

struct PredictedToken {
  std::uint32_t id = 0;
  double probability = 0;  // softmax over the vocabulary
  float logit = 0;
};

struct Prediction {
  std::size_t position = 0;         // whose hidden state it comes from
  std::vector<PredictedToken> top;  // most probable first; of equal ones the smaller id first
};

// ln(sum_i exp(z_i)) in double precision.
double log_sum_exp(std::span<const float> logits);
// sum_i p_i ln(p_i / q_i), in nats, of the softmaxes p of `from` and q of `to`.
double divergence(std::span<const float> from, std::span<const float> to);

// The last hidden state (n, d_model), after the final norm where the model has one. `inputs` is
// that of StreamOptions: what is known already is not computed again.
Matrix last_hidden(const TransformerRows& rows, std::size_t n_threads,
                   std::vector<Matrix>* inputs = nullptr);

// Hands the logits of rows of `hidden` to `use`, block by block: the first row, and its rows. The
// blocks follow from the shapes alone.
void for_logits(const Transformer& model, ConstMatrix hidden, std::size_t n_threads,
                const std::function<void(std::size_t first, ConstMatrix logits)>& use);

// The k most probable tokens at each of the positions.
std::vector<Prediction> top_predictions(const Transformer& model, ConstMatrix hidden,
                                        const std::vector<std::size_t>& positions, std::size_t k,
                                        std::size_t n_threads);

}  // namespace mha
