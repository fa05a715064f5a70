// Ablation of each head in turn, and predictions, against plain passes over the whole model.
#include <algorithm>
#include <cmath>

#include "mha/io/tensor_files.hpp"
#include "mha/model/head_importance.hpp"
#include "mha/model/predictions.hpp"
#include "mha/model/text_model.hpp"

#include "support/catch.hpp"
#include "support/model_runs.hpp"

namespace mha {
namespace {

using test::compute;
using test::Computed;

// ln p of each token in double precision, for one row of logits.
std::vector<double> log_softmax(std::span<const float> logits) {
  double largest = -INFINITY;
  for (const float z : logits) largest = std::max(largest, static_cast<double>(z));
  double sum = 0;
  for (const float z : logits) sum += std::exp(static_cast<double>(z) - largest);
  std::vector<double> out;
  for (const float z : logits) out.push_back(static_cast<double>(z) - largest - std::log(sum));
  return out;
}

double change_of(const Matrix& whole, const Matrix& without) {
  double change = 0;
  double size = 0;
  for (std::size_t i = 0; i < whole.rows(); ++i) {
    for (std::size_t j = 0; j < whole.cols(); ++j) {
      const auto a = static_cast<double>(whole(i, j));
      change += (static_cast<double>(without(i, j)) - a) * (static_cast<double>(without(i, j)) - a);
      size += a * a;
    }
  }
  return std::sqrt(change / size);
}

struct PredictedText {
  std::shared_ptr<const Transformer> model;
  ModelInput input;
};

PredictedText causal_case() {
  const std::string folder = MHA_SOURCE_DIR "/tests/goldens/models/qwen3";
  const auto expected = open_tensor_path(folder + "/expected.safetensors", SIZE_MAX);
  return {test::open_model(folder), {test::integers<std::uint32_t>(*expected, "ids"), {}, {}}};
}

PredictedText masked_case() {
  const auto model = bundled_model();
  return {model->transformer, {model->tokenizer->encode("the dog chased the cat").ids, {}, {}}};
}

double loss_of(const PredictedText& c, const Matrix& hidden) {
  const Matrix logits = c.model->logits(hidden.view(), 0);
  double loss = 0;
  for (std::size_t i = 0; i + 1 < hidden.rows(); ++i) {
    loss -= log_softmax(logits.view().row(i))[c.input.ids[i + 1]];
  }
  return loss / static_cast<double>(hidden.rows() - 1);
}

double divergence_of(const PredictedText& c, const Matrix& whole, const Matrix& without) {
  const Matrix p = c.model->logits(whole.view(), 0);
  const Matrix q = c.model->logits(without.view(), 0);
  double sum = 0;
  for (std::size_t i = 0; i < p.rows(); ++i) {
    const std::vector<double> log_p = log_softmax(p.view().row(i));
    const std::vector<double> log_q = log_softmax(q.view().row(i));
    for (std::size_t v = 0; v < log_p.size(); ++v)
      sum += std::exp(log_p[v]) * (log_p[v] - log_q[v]);
  }
  return sum / static_cast<double>(p.rows());
}

void check_heads(const PredictedText& c, PredictionMeasure measure) {
  REQUIRE(prediction_measure(*c.model) == measure);
  std::vector<LayerHead> heads;
  for (std::size_t l = 0; l < c.model->config().n_layers; ++l) {
    for (std::size_t h = 0; h < c.model->config().n_heads; h += 2) heads.push_back({l, h});
  }
  const TransformerRows rows(c.model, c.input);
  std::size_t n_passes = 0;
  const AblationEffects got = ablate_each(rows, heads, {1, [&] { ++n_passes; }});
  const AblationEffects threads = ablate_each(rows, heads, {3, nullptr});
  CHECK(n_passes == heads.size() + 1);
  const Matrix whole = compute(rows).hidden.back();
  for (std::size_t h = 0; h < heads.size(); ++h) {
    INFO("L" << heads[h].layer << "H" << heads[h].head);
    AblatedHeads ablated(c.model->config().n_layers);
    ablated[heads[h].layer] = {heads[h].head};
    const Matrix without = compute(TransformerRows(c.model, c.input, ablated)).hidden.back();
    CHECK(got.hidden_change(h) == Approx(change_of(whole, without)).epsilon(1e-12));
    CHECK(got.hidden_change(h) > 0);
    const double expected = measure == PredictionMeasure::kNextTokenLoss
                                ? loss_of(c, without) - loss_of(c, whole)
                                : divergence_of(c, whole, without);
    CHECK(got.prediction_change(h) == Approx(expected).margin(1e-9));
    CHECK(threads.hidden_change(h) == got.hidden_change(h));
    CHECK(threads.prediction_change(h) == got.prediction_change(h));
  }
  if (measure == PredictionMeasure::kNextTokenLoss) {
    CHECK(got.mean_loss() == Approx(loss_of(c, whole)).epsilon(1e-12));
  }
}

TEST_CASE("ablating heads in turn gives what whole passes give: next-token loss") {
  check_heads(causal_case(), PredictionMeasure::kNextTokenLoss);
}

TEST_CASE("ablating heads in turn gives what whole passes give: divergence of predictions") {
  check_heads(masked_case(), PredictionMeasure::kDivergence);
}

TEST_CASE("effects of several inputs are their means") {
  const PredictedText c = masked_case();
  PredictedText shorter = c;
  shorter.input.ids.pop_back();
  const std::vector<LayerHead> heads{{1, 3}};
  const AblationEffects a = ablate_each(TransformerRows(c.model, c.input), heads);
  const AblationEffects b = ablate_each(TransformerRows(c.model, shorter.input), heads);
  AblationEffects both = a;
  both.add(b);
  const auto n = static_cast<double>(c.input.ids.size());
  CHECK(both.hidden_change(0) == Approx((a.hidden_change(0) + b.hidden_change(0)) / 2));
  CHECK(both.prediction_change(0) ==
        Approx((a.prediction_change(0) * n + b.prediction_change(0) * (n - 1)) / (2 * n - 1)));
}

TEST_CASE("the most probable tokens come first, with their probabilities") {
  const PredictedText c = causal_case();
  const TransformerRows rows(c.model, c.input);
  const Matrix hidden = last_hidden(rows, 0);
  CHECK(test::values(hidden) == test::values(compute(rows).hidden.back()));
  const std::size_t n_words = c.model->config().vocab_size;
  const std::vector<Prediction> all = top_predictions(*c.model, hidden.view(), {0, 5}, n_words, 0);
  REQUIRE(all.size() == 2);
  const Matrix logits = c.model->logits(hidden.view(), 0);
  for (const Prediction& prediction : all) {
    const std::vector<double> exact = log_softmax(logits.view().row(prediction.position));
    REQUIRE(prediction.top.size() == n_words);
    double sum = 0;
    for (std::size_t i = 0; i < n_words; ++i) {
      CHECK(prediction.top[i].probability == Approx(std::exp(exact[prediction.top[i].id])));
      if (i > 0) CHECK(prediction.top[i].logit <= prediction.top[i - 1].logit);
      sum += prediction.top[i].probability;
    }
    CHECK(sum == Approx(1));
  }
  CHECK(top_predictions(*c.model, hidden.view(), {5}, 3, 0)[0].top.size() == 3);
}

}  // namespace
}  // namespace mha
