#include <algorithm>

#include "mha/attention/layer_plan.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/model/layers.hpp"

#include "transformer_parts.hpp"

namespace mha {
namespace {

void check_input(const ModelInput& input, const ModelConfig& config) {
  const std::size_t n = input.ids.size();
  if (n == 0) fail_input("no tokens; expected at least one");
  if (config.has_position_table() && n > config.max_positions) {
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

void check_ablated(const AblatedHeads& ablated, const ModelConfig& config) {
  for (std::size_t l = 0; l < ablated.size(); ++l) {
    for (const std::size_t head : ablated[l]) {
      if (l < config.n_layers && head < config.n_heads) continue;
      fail_input(concat("no head L", l, "H", head, " to ablate; expected layers below ",
                        config.n_layers, " and heads below ", config.n_heads));
    }
  }
}

// The row of the position table of each token. Padding in front is not counted.
std::vector<std::size_t> position_rows(const ModelInput& input, const ModelConfig& config) {
  std::vector<std::size_t> out(input.ids.size());
  std::size_t next = config.first_position();
  bool has_begun = input.valid_keys.empty();
  for (std::size_t i = 0; i < out.size(); ++i) {
    has_begun = has_begun || input.valid_keys[i] != 0;
    const bool is_padding =
        config.positions == ModelPositions::kAfterPadding && input.ids[i] == config.pad_id;
    out[i] = is_padding ? config.pad_id : next;
    if (has_begun && !is_padding) ++next;
  }
  return out;
}

Matrix feed_forward(const TransformerLayer& layer, Activation activation, ConstMatrix x,
                    std::size_t n_threads) {
  Matrix inner = apply(layer.gate ? *layer.gate : layer.up, x, n_threads);
  activate(activation, inner.view(), n_threads);
  if (layer.gate) multiply_by(inner.view(), apply(layer.up, x, n_threads).view());
  return apply(layer.down, std::as_const(inner).view(), n_threads);
}

}  // namespace

TransformerRows::TransformerRows(std::shared_ptr<const Transformer> model, ModelInput input,
                                 AblatedHeads ablated)
    : model_(std::move(model)), input_(std::move(input)), ablated_(std::move(ablated)) {
  const ModelConfig& config = model_->config();
  check_input(input_, config);
  check_ablated(ablated_, config);
  ablated_.resize(config.n_layers);
  const std::size_t n = input_.ids.size();
  masks_.resize(config.n_layers);
  for (std::size_t l = 0; l < config.n_layers; ++l) {
    masks_[l].causal = config.is_causal;
    masks_[l].window = config.windows[l];
    masks_[l].valid_keys = input_.valid_keys;
    infos_.push_back({config.n_heads, {n, n, false}, &masks_[l]});
  }
}

TransformerRows::~TransformerRows() = default;

Matrix TransformerRows::embed(std::size_t n_threads) const {
  const Transformer::Parts& parts = *model_->parts_;
  const ModelNames& names = parts.family.names;
  const ModelConfig& config = parts.config;
  const auto add = [&](std::string_view table, std::size_t row, std::span<float> sum) {
    parts.checkpoint.add_row(parts.checkpoint.full_name(table), row, sum);
  };
  Matrix x(input_.ids.size(), config.d_embedding);
  const std::vector<std::size_t> positions = position_rows(input_, config);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const std::span<float> row = x.view().row(i);
    std::ranges::fill(row, 0.0F);
    add(names.word_embedding, input_.ids[i], row);
    if (config.has_position_table()) add(names.position_embedding, positions[i], row);
    if (config.n_token_types == 0) continue;
    add(names.type_embedding, input_.token_types.empty() ? 0 : input_.token_types[i], row);
  }
  if (!parts.embedding_norm.empty()) apply_norm(parts.embedding_norm, x.view(), n_threads);
  if (parts.embedding_projection) {
    x = apply(*parts.embedding_projection, std::as_const(x).view(), n_threads);
  }
  return x;
}

AttentionRule TransformerRows::rule_of(std::size_t layer) const {
  const ModelConfig& config = model_->config();
  AttentionRule rule;
  rule.mask = masks_[layer];
  if (config.positions != ModelPositions::kRope) return rule;
  rule.position = PositionKind::kRope;
  rule.rope = rope_of(config.rope, config.d_head, input_.ids.size());
  return rule;
}

void TransformerRows::stream(RowSink& sink, const StreamOptions& options) const {
  const Transformer::Parts& parts = *model_->parts_;
  if (options.outputs != nullptr) options.outputs->clear();
  const std::size_t n_layers = infos_.size();
  const std::size_t end = std::min(options.layers.end, n_layers);
  NoRows unheard;
  std::size_t l = first_layer_to_run(options);
  Matrix x = l == 0 ? embed(options.n_threads) : (*options.inputs)[l - 1];
  for (; l < end; ++l) {
    const LayerPlan plan(l, n_layers, options);
    run_layer(l, plan.wants_output, &x, plan.is_asked ? sink : unheard, options);
    if (options.outputs != nullptr && plan.is_asked) {
      options.outputs->push_back(x);
      if (l + 1 == n_layers && !parts.final_norm.empty()) {
        apply_norm(parts.final_norm, options.outputs->back().view(), options.n_threads);
      }
    }
    if (plan.keeps_next) options.inputs->push_back(x);
  }
}

// Runs one layer and puts what leaves it in place of `x`, where that is wanted.
void TransformerRows::run_layer(std::size_t l, bool wants_output, Matrix* x, RowSink& sink,
                                const StreamOptions& options) const {
  const Transformer::Parts& parts = *model_->parts_;
  const std::shared_ptr<const TransformerLayer> layer =
      parts.layer(l, wants_output, options.n_threads);
  const std::size_t n_threads = options.n_threads;
  const bool is_pre_norm = parts.config.is_pre_norm;
  const AttentionRule rule = rule_of(l);
  Matrix normed;
  const auto normed_input = [&](const Norm& norm) {
    if (!is_pre_norm) return std::as_const(*x).view();
    normed = *x;
    apply_norm(norm, normed.view(), n_threads);
    return std::as_const(normed).view();
  };
  const auto add = [&](const Matrix& y, const Norm& norm) {
    add_to(x->view(), y.view());
    if (!is_pre_norm) apply_norm(norm, x->view(), n_threads);
  };
  LayerCall call{l, infos_[l].shape, &layer->attention, &rule};
  call.x = normed_input(layer->attention_norm);
  call.wants_output = wants_output;
  call.ablated_heads = ablated_[l];
  const Matrix attended = mha::run_layer(call, sink, options);
  if (!wants_output) return;
  add(attended, layer->attention_norm);
  add(feed_forward(*layer, parts.config.activation, normed_input(layer->mlp_norm), n_threads),
      layer->mlp_norm);
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
  Matrix x = layer == 0 ? embed(n_threads) : std::move(inputs[layer - 1]);
  if (parts.config.is_pre_norm) {
    apply_norm(parts.attention_norm(layer), x.view(), n_threads);
  }
  LayerInput out{parts.read_attention(layer, n_threads), std::move(x), std::nullopt, false};
  // A head whose output does not count is one whose rows of W_O are zero.
  const std::size_t d_value = out.layer.layout.d_value;
  MatrixView w_o = out.layer.weights.o.weight.view();
  for (const std::size_t head : ablated_[layer]) {
    for (std::size_t i = 0; i < d_value; ++i) {
      std::ranges::fill(w_o.row(head * d_value + i), 0.0F);
    }
  }
  out.layer.rule = rule_of(layer);
  return out;
}

}  // namespace mha
