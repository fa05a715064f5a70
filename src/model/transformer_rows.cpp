#include <algorithm>

#include "mha/attention/layer_plan.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/model/layers.hpp"

#include "transformer_parts.hpp"

namespace mha {
namespace {

void add_row(const FloatStorage& table, std::size_t row, std::span<float> sum) {
  const float* from = table.data() + row * sum.size();
  for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += from[c];
}

void check_input(const ModelInput& input, const ModelConfig& config) {
  const std::size_t n = input.ids.size();
  if (n == 0) fail_input("no tokens; expected at least one");
  if (n > config.max_positions) {
    fail_input(concat("too many tokens for the model; expected at most ", config.max_positions,
                      ", got ", n));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (input.ids[i] >= config.vocab_size) {
      fail_input(concat("token ", i, ": not in the vocabulary of the model; expected an id below ",
                        config.vocab_size, ", got ", input.ids[i]));
    }
  }
  const std::size_t n_types = std::max<std::size_t>(config.n_token_types, 1);
  for (std::size_t i = 0; i < input.token_types.size(); ++i) {
    if (input.token_types[i] >= n_types) {
      fail_input(concat("token ", i, ": a token type that the model does not have; expected below ",
                        n_types, ", got ", static_cast<int>(input.token_types[i])));
    }
  }
}

}  // namespace

TransformerRows::TransformerRows(std::shared_ptr<const Transformer> model, ModelInput input)
    : model_(std::move(model)), input_(std::move(input)) {
  const ModelConfig& config = model_->config();
  check_input(input_, config);
  mask_.causal = model_->parts_->family.is_causal;
  mask_.valid_keys = input_.valid_keys;
  const std::size_t n = input_.ids.size();
  infos_.assign(config.n_layers, {config.n_heads, {n, n, false}, &mask_});
}

TransformerRows::~TransformerRows() = default;

Matrix TransformerRows::embed() const {
  const Transformer::Parts& parts = *model_->parts_;
  Matrix x(input_.ids.size(), parts.config.d_model);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const std::span<float> row = x.view().row(i);
    std::ranges::fill(row, 0.0F);
    add_row(parts.words, input_.ids[i], row);
    add_row(parts.positions, i, row);
    if (parts.types.empty()) continue;
    add_row(parts.types, input_.token_types.empty() ? 0 : input_.token_types[i], row);
  }
  if (!parts.embedding_norm.empty()) {
    layer_norm(parts.embedding_norm, parts.config.norm_epsilon, x.view());
  }
  return x;
}

void TransformerRows::stream(RowSink& sink, const StreamOptions& options) const {
  const Transformer::Parts& parts = *model_->parts_;
  if (options.outputs != nullptr) options.outputs->clear();
  const std::size_t n_layers = infos_.size();
  const std::size_t end = std::min(options.layers.end, n_layers);
  NoRows unheard;
  std::size_t l = first_layer_to_run(options);
  Matrix x = l == 0 ? embed() : (*options.inputs)[l - 1];
  for (; l < end; ++l) {
    const LayerPlan plan(l, n_layers, options);
    run_layer(l, plan.wants_output, &x, plan.is_asked ? sink : unheard, options);
    if (options.outputs != nullptr && plan.is_asked) {
      options.outputs->push_back(x);
      if (l + 1 == n_layers && !parts.final_norm.empty()) {
        layer_norm(parts.final_norm, parts.config.norm_epsilon, options.outputs->back().view());
      }
    }
    if (plan.keeps_next) options.inputs->push_back(x);
  }
}

// Runs one layer and puts what leaves it in place of `x`, where that is wanted.
void TransformerRows::run_layer(std::size_t l, bool wants_output, Matrix* x, RowSink& sink,
                                const StreamOptions& options) const {
  const Transformer::Parts& parts = *model_->parts_;
  const std::shared_ptr<const TransformerLayer> layer = parts.layer(l);
  const double epsilon = parts.config.norm_epsilon;
  const bool is_pre_norm = parts.family.is_pre_norm;
  AttentionRule rule = layer->attention.rule;
  rule.mask = mask_;
  Matrix normed;
  const auto normed_input = [&](const LayerNorm& norm) {
    if (!is_pre_norm) return std::as_const(*x).view();
    normed = *x;
    layer_norm(norm, epsilon, normed.view());
    return std::as_const(normed).view();
  };
  const auto add = [&](const Matrix& y, const LayerNorm& norm) {
    add_to(x->view(), y.view());
    if (!is_pre_norm) layer_norm(norm, epsilon, x->view());
  };
  LayerCall call{l, infos_[l].shape, &layer->attention, &rule};
  call.x = normed_input(layer->attention_norm);
  call.wants_output = wants_output;
  const Matrix attended = mha::run_layer(call, sink, options);
  if (!wants_output) return;
  add(attended, layer->attention_norm);
  Matrix inner = apply(layer->up, normed_input(layer->mlp_norm), options.n_threads);
  activate(parts.config.activation, inner.view());
  add(apply(layer->down, std::as_const(inner).view(), options.n_threads), layer->mlp_norm);
}

LayerInput TransformerRows::input_of(std::size_t layer, std::size_t n_threads) const {
  const Transformer::Parts& parts = *model_->parts_;
  std::vector<Matrix> inputs;
  StreamOptions options;
  options.n_threads = n_threads;
  options.layers = {0, layer};
  options.inputs = &inputs;
  NoRows unheard;
  if (layer > 0) stream(unheard, options);
  Matrix x = layer == 0 ? embed() : std::move(inputs[layer - 1]);
  if (parts.family.is_pre_norm) {
    layer_norm(parts.layer(layer)->attention_norm, parts.config.norm_epsilon, x.view());
  }
  LayerInput out{model_->attention(layer), std::move(x), std::nullopt, false};
  out.layer.rule.mask = mask_;
  return out;
}

}  // namespace mha
