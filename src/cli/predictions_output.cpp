#include "predictions_output.hpp"

#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/model/text_model.hpp"

#include "console.hpp"

namespace mha::cli {
namespace {

// What BERT, RoBERTa and the toy model call the token that hides a word.
std::vector<std::uint32_t> mask_ids(const TextModel& model) {
  std::vector<std::uint32_t> ids;
  if (!model.tokenizer) return ids;
  for (const char* name : {"[MASK]", "[mask]", "<mask>"}) {
    if (const std::optional<std::uint32_t> id = model.tokenizer->id(name)) ids.push_back(*id);
  }
  return ids;
}

std::vector<std::size_t> predicted_positions(const OpenedInput& input) {
  const std::vector<std::uint32_t>& ids = input.model_input.ids;
  const std::vector<std::uint32_t> masks = input.model->model().config().is_causal
                                               ? std::vector<std::uint32_t>()
                                               : mask_ids(*input.text_model);
  std::vector<std::size_t> all;
  std::vector<std::size_t> masked;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    all.push_back(i);
    if (std::ranges::find(masks, ids[i]) != masks.end()) masked.push_back(i);
  }
  return masked.empty() ? all : masked;
}

std::string token_text(const OpenedInput& input, std::uint32_t id) {
  const auto& tokenizer = input.text_model->tokenizer;
  const std::optional<std::string> token = tokenizer ? tokenizer->token(id) : std::nullopt;
  return token.value_or(std::to_string(id));
}

}  // namespace

std::vector<Prediction> predict(const OpenedInput& input, std::size_t k, std::size_t n_threads) {
  if (input.model == nullptr) {
    fail_input("is not computed by a model; expected text, tokens or ids for --predict");
  }
  const Transformer& model = input.model->model();
  if (!model.can_predict()) {
    fail_input(
        "the checkpoint has no part that predicts tokens; expected one saved with it for "
        "--predict",
        "models for language modelling have it: GPT2LMHeadModel, BertForMaskedLM, ...");
  }
  const Matrix hidden = last_hidden(*input.model, n_threads);
  return top_predictions(model, hidden.view(), predicted_positions(input), k, n_threads);
}

void write_predictions(const OpenedInput& input, const std::vector<Prediction>& predictions,
                       JsonWriter* w) {
  w->key("predictions");
  w->begin_array();
  for (const Prediction& prediction : predictions) {
    w->begin_object();
    w->member("position", static_cast<std::uint64_t>(prediction.position));
    w->member("token", input.tokens[prediction.position]);
    w->key("top");
    w->begin_array();
    for (const PredictedToken& token : prediction.top) {
      w->begin_object();
      w->member("token", token_text(input, token.id));
      w->member("id", static_cast<std::uint64_t>(token.id));
      w->member("probability", token.probability);
      w->member("logit", static_cast<double>(token.logit));
      w->end_object();
    }
    w->end_array();
    w->end_object();
  }
  w->end_array();
}

std::vector<std::string> prediction_lines(const OpenedInput& input,
                                          const std::vector<Prediction>& predictions) {
  constexpr std::size_t kShown = 5;
  if (predictions.empty()) return {};
  const bool is_causal = input.model->model().config().is_causal;
  const bool is_masked = !is_causal && predictions.size() < input.tokens.size();
  std::vector<std::string> lines;
  for (const Prediction& prediction : predictions) {
    // What the model makes of tokens that it sees stands in the file alone.
    const bool is_last = prediction.position + 1 == input.tokens.size();
    if (!is_masked && !(is_causal && is_last)) continue;
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < std::min(kShown, prediction.top.size()); ++i) {
      const PredictedToken& token = prediction.top[i];
      tokens.push_back(
          concat("'", printable(token_text(input, token.id)), "' ", fixed(token.probability, 2)));
    }
    const std::string place =
        is_causal ? "next token: " : concat("in place of token ", prediction.position, ": ");
    lines.push_back(place + join(tokens, ", "));
  }
  return lines;
}

}  // namespace mha::cli
