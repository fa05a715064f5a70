// How much the output of a transformer depends on each of its heads: each is ablated in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "mha/model/transformer.hpp"

namespace mha {

// What the change of a prediction is measured by.
enum class PredictionMeasure {
  kNone,           // the checkpoint has no part that predicts
  kNextTokenLoss,  // causal models: cross-entropy of the next token
  kDivergence,     // the others: divergence of the prediction at each token from the whole model's
};
PredictionMeasure prediction_measure(const Transformer& model);

// ||b - a|| / ||a|| over the rows that are not padding (Frobenius norm); 0 where both are 0.
// valid_rows: an entry for each row, or empty: all.
double relative_change(ConstMatrix a, ConstMatrix b, const std::vector<std::uint8_t>& valid_rows);

struct LayerHead {
  std::size_t layer = 0;
  std::size_t head = 0;
};

// One ablated head on one input, or over inputs.
struct AblationEffect {
  double hidden = 0;      // relative change of the last hidden state; over inputs their sum
  double prediction = 0;  // loss with the head ablated, or divergence; a sum over positions
};

struct AblationEffects {
  std::uint64_t inputs = 0;
  std::uint64_t positions = 0;  // tokens with a prediction that is measured
  double loss = 0;              // of the whole model, a sum over positions; kNextTokenLoss alone
  std::vector<AblationEffect> heads;  // in the order asked for

  void add(const AblationEffects& other);
  double hidden_change(std::size_t head) const;  // mean over inputs
  double mean_loss() const { return loss / static_cast<double>(positions); }
  // Mean over positions; with kNextTokenLoss the loss of the whole model is taken off.
  double prediction_change(std::size_t head) const;
};

struct AblationOptions {
  std::size_t n_threads = 0;                // never changes a result
  std::function<void()> on_pass = nullptr;  // after each forward pass
};

// Runs the input once as it is and once for each head with that head ablated, beside the heads that
// are ablated already; the layers below an ablated head are not run again.
AblationEffects ablate_each(const TransformerRows& rows, const std::vector<LayerHead>& heads,
                            const AblationOptions& options = {});

// Bytes that this holds beside the forward pass, for n tokens.
double ablation_bytes(const Transformer& model, std::size_t n_tokens);

}  // namespace mha
