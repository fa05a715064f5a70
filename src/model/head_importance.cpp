#include "mha/model/head_importance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/base/parallel.hpp"
#include "mha/model/predictions.hpp"

namespace mha {
namespace {

bool is_valid(const std::vector<std::uint8_t>& valid, std::size_t i) {
  return valid.empty() || valid[i] != 0;
}

// Tokens with a prediction to measure: for the loss those with a next token.
std::vector<std::size_t> measured_positions(const ModelInput& input, PredictionMeasure measure) {
  std::vector<std::size_t> out;
  if (measure == PredictionMeasure::kNone) return out;
  const std::size_t n_next = measure == PredictionMeasure::kNextTokenLoss ? 1 : 0;
  for (std::size_t i = 0; i + n_next < input.ids.size(); ++i) {
    if (is_valid(input.valid_keys, i) && is_valid(input.valid_keys, i + n_next)) out.push_back(i);
  }
  return out;
}

Matrix rows_of(ConstMatrix from, const std::vector<std::size_t>& rows) {
  Matrix out(rows.size(), from.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(from.row(rows[i]), out.view().row(i).begin());
  }
  return out;
}

// The predictions of the whole model on one input, and how far others are from them.
class Predictions {
 public:
  Predictions(const TransformerRows& rows, ConstMatrix hidden, std::size_t n_threads)
      : model_(rows.model()),
        input_(rows.input()),
        measure_(prediction_measure(model_)),
        positions_(measured_positions(input_, measure_)),
        n_threads_(n_threads) {
    if (measure_ != PredictionMeasure::kDivergence) return;
    whole_ = Matrix(positions_.size(), model_.config().vocab_size);
    for_logits(model_, rows_of(hidden, positions_).view(), n_threads_,
               [this](std::size_t first, ConstMatrix logits) {
                 for (std::size_t i = 0; i < logits.rows; ++i) {
                   std::ranges::copy(logits.row(i), whole_.view().row(first + i).begin());
                 }
               });
  }

  std::size_t n_positions() const { return positions_.size(); }
  PredictionMeasure measure() const { return measure_; }

  // Sum over positions of the loss, or of the divergence from the whole model.
  double measure_of(ConstMatrix hidden) const {
    std::vector<double> values(positions_.size());
    for_logits(model_, rows_of(hidden, positions_).view(), n_threads_,
               [&](std::size_t first, ConstMatrix logits) {
                 parallel_for(logits.rows, n_threads_, [&](std::size_t i, std::size_t) {
                   values[first + i] = value_of(first + i, logits.row(i));
                 });
               });
    double sum = 0;  // in order, so that threads do not matter
    for (const double value : values) sum += value;
    return sum;
  }

 private:
  double value_of(std::size_t i, std::span<const float> logits) const {
    if (measure_ == PredictionMeasure::kDivergence) return divergence(whole_.view().row(i), logits);
    const std::uint32_t next = input_.ids[positions_[i] + 1];
    return log_sum_exp(logits) - static_cast<double>(logits[next]);
  }

  const Transformer& model_;
  const ModelInput& input_;
  const PredictionMeasure measure_;
  const std::vector<std::size_t> positions_;
  const std::size_t n_threads_;
  Matrix whole_;  // logits at the positions; kDivergence alone
};

// The last hidden state with one more head ablated. layer_inputs: what layers 1, 2, ... read.
Matrix hidden_without(const TransformerRows& rows, const std::vector<Matrix>& layer_inputs,
                      const LayerHead& head, std::size_t n_threads) {
  AblatedHeads ablated = rows.ablated();
  std::vector<std::size_t>& of_layer = ablated[head.layer];
  if (std::ranges::find(of_layer, head.head) == of_layer.end()) of_layer.push_back(head.head);
  const TransformerRows without(rows.shared_model(), rows.input(), std::move(ablated));
  // The pass starts behind what is known; only the last of it is read.
  std::vector<Matrix> known(head.layer);
  if (head.layer > 0) known.back() = layer_inputs[head.layer - 1];
  return last_hidden(without, n_threads, &known);
}

}  // namespace

PredictionMeasure prediction_measure(const Transformer& model) {
  if (!model.can_predict()) return PredictionMeasure::kNone;
  return model.config().is_causal ? PredictionMeasure::kNextTokenLoss
                                  : PredictionMeasure::kDivergence;
}

double relative_change(ConstMatrix a, ConstMatrix b, const std::vector<std::uint8_t>& valid_rows) {
  double change = 0;
  double size = 0;
  for (std::size_t i = 0; i < a.rows; ++i) {
    if (!is_valid(valid_rows, i)) continue;
    for (std::size_t j = 0; j < a.cols; ++j) {
      const double difference = static_cast<double>(b(i, j)) - static_cast<double>(a(i, j));
      change += difference * difference;
      size += static_cast<double>(a(i, j)) * static_cast<double>(a(i, j));
    }
  }
  if (size == 0) return change == 0 ? 0 : std::numeric_limits<double>::infinity();
  return std::sqrt(change / size);
}

void AblationEffects::add(const AblationEffects& other) {
  inputs += other.inputs;
  positions += other.positions;
  loss += other.loss;
  heads.resize(std::max(heads.size(), other.heads.size()));
  for (std::size_t h = 0; h < other.heads.size(); ++h) {
    heads[h].hidden += other.heads[h].hidden;
    heads[h].prediction += other.heads[h].prediction;
  }
}

double AblationEffects::hidden_change(std::size_t head) const {
  return heads[head].hidden / static_cast<double>(inputs);
}

double AblationEffects::prediction_change(std::size_t head) const {
  return (heads[head].prediction - loss) / static_cast<double>(positions);
}

AblationEffects ablate_each(const TransformerRows& rows, const std::vector<LayerHead>& heads,
                            const AblationOptions& options) {
  const auto passed = [&options] {
    if (options.on_pass) options.on_pass();
  };
  std::vector<Matrix> layer_inputs;
  const Matrix whole = last_hidden(rows, options.n_threads, &layer_inputs);
  const Predictions predictions(rows, whole.view(), options.n_threads);
  AblationEffects out;
  out.inputs = 1;
  out.positions = predictions.n_positions();
  if (predictions.measure() == PredictionMeasure::kNextTokenLoss) {
    out.loss = predictions.measure_of(whole.view());
  }
  passed();
  for (const LayerHead& head : heads) {
    const Matrix hidden = hidden_without(rows, layer_inputs, head, options.n_threads);
    AblationEffect effect;
    effect.hidden = relative_change(whole.view(), hidden.view(), rows.input().valid_keys);
    if (predictions.n_positions() > 0) effect.prediction = predictions.measure_of(hidden.view());
    out.heads.push_back(effect);
    passed();
  }
  return out;
}

double ablation_bytes(const Transformer& model, std::size_t n_tokens) {
  const ModelConfig& config = model.config();
  const auto n = static_cast<double>(n_tokens);
  // The inputs of all layers, those of one pass, and two last hidden states.
  const double states = n * static_cast<double>(config.d_model * 2 * (config.n_layers + 1));
  const PredictionMeasure measure = prediction_measure(model);
  const double block = 8388608 + static_cast<double>(config.vocab_size);
  const double logits = measure == PredictionMeasure::kNone ? 0 : block;
  const double kept =
      measure == PredictionMeasure::kDivergence ? n * static_cast<double>(config.vocab_size) : 0;
  return sizeof(float) * (states + logits + kept);
}

}  // namespace mha
