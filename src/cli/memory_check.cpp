#include "memory_check.hpp"

#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"

namespace mha::cli {
namespace {

constexpr double kFloat = sizeof(float);

// Embeddings, weights, and the projected and concatenated heads of the widest layer.
double stack_bytes(const AttentionStack& stack, bool keeps_outputs) {
  const AttentionStack::Input& input = stack.input();
  const auto size = [](const Matrix& m) {
    return kFloat * static_cast<double>(m.rows() * m.cols());
  };
  double fixed_bytes = size(input.x) + (input.context ? size(*input.context) : 0);
  double widest = 0;
  for (const AttentionLayer& layer : input.layers) {
    const LayerWeights& w = layer.weights;
    fixed_bytes += size(w.qkv.weight) + size(w.q.weight) + size(w.kv.weight) + size(w.o.weight);
    const auto n_query = static_cast<double>(input.x.rows());
    const double n_key = input.context ? static_cast<double>(input.context->rows()) : n_query;
    const HeadLayout& heads = layer.layout;
    const auto q_width = static_cast<double>(heads.n_heads * heads.d_head);
    const auto kv_width = static_cast<double>(heads.n_kv_heads * (heads.d_head + heads.d_value));
    const auto out_width = static_cast<double>(heads.n_heads * heads.d_value + layer.d_out());
    widest = std::max(widest, kFloat * (n_query * (q_width + out_width) + n_key * kv_width));
    if (keeps_outputs) fixed_bytes += kFloat * n_query * static_cast<double>(layer.d_out());
  }
  return fixed_bytes + widest;
}

double precomputed_bytes(const RowSource& rows) {
  double bytes = 0;
  for (const LayerInfo& layer : rows.layers()) {
    bytes += kFloat * static_cast<double>(layer.n_heads) *
             static_cast<double>(layer.shape.n_query) * static_cast<double>(layer.shape.n_key);
  }
  return bytes;
}

}  // namespace

void check_memory(const OpenedInput& input, const Analysis& analysis, const MemoryPlan& plan,
                  const ResourceOptions& resources) {
  double bytes = input.stack != nullptr ? stack_bytes(*input.stack, plan.keeps_outputs)
                                        : precomputed_bytes(*input.rows);
  double largest_block = 0;
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    const AttentionShape& shape = analysis.layer_of(s).shape;
    const auto n_query = static_cast<double>(shape.n_query);
    const auto n_key = static_cast<double>(shape.n_key);
    const double block_rows = std::min(n_query, static_cast<double>(default_block_rows(shape)));
    largest_block = std::max(largest_block, (kFloat + 1) * block_rows * n_key);
    if (plan.keeps_weights) bytes += kFloat * n_query * n_key;
    if (analysis.slots()[s].is_mean()) bytes += 9 * n_query * n_key;
    if (plan.draws) {
      const auto pool = static_cast<double>(plan.window.pool);
      bytes += 2 * (kFloat + 1) * (n_query / pool + 1) * (n_key / pool + 1);
    }
  }
  bytes += largest_block * static_cast<double>(effective_threads(resources.threads));
  if (bytes <= static_cast<double>(resources.memory)) return;
  fail_input(concat("needs about ", bytes_text(bytes), " of memory; expected at most ",
                    bytes_text(static_cast<double>(resources.memory))),
             "raise --memory, select fewer heads, or try --weights none");
}

}  // namespace mha::cli
