#include "layer_sizes.hpp"

namespace mha::cli {
namespace {

std::vector<LayerSizes> stack_sizes(const AttentionStack& stack) {
  std::vector<LayerSizes> out;
  const AttentionStack::Input& input = stack.input();
  std::size_t d_model = input.x.cols();
  for (const AttentionLayer& layer : input.layers) {
    const HeadLayout& heads = layer.layout;
    const std::size_t d_context = input.context ? input.context->cols() : d_model;
    out.push_back({stack.layers()[out.size()].shape, heads, layer.rule.scale_for(heads.d_head),
                   d_model, d_context, layer.d_out()});
    d_model = layer.d_out();
  }
  return out;
}

std::vector<LayerSizes> model_sizes(const TransformerRows& rows) {
  const ModelConfig& config = rows.model().config();
  const HeadLayout heads{config.n_heads, config.n_kv_heads, config.d_head, config.d_head};
  return std::vector<LayerSizes>(config.n_layers, {rows.layers().front().shape, heads,
                                                   AttentionRule{}.scale_for(config.d_head),
                                                   config.d_model, config.d_model, config.d_model});
}

}  // namespace

std::vector<LayerSizes> layer_sizes(const OpenedInput& input) {
  if (input.stack != nullptr) return stack_sizes(*input.stack);
  if (input.model != nullptr) return model_sizes(*input.model);
  return {};
}

}  // namespace mha::cli
