#include "memory_check.hpp"

#include <algorithm>
#include <cmath>

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

// What the results of the analyses hold.
double result_bytes(const Analysis& analysis, const MemoryPlan& plan) {
  double bytes = 0;
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    const auto n_query = static_cast<double>(analysis.n_queries_of(s));
    const auto n_key = static_cast<double>(analysis.layer_of(s).shape.n_key);
    if (plan.keeps_weights) bytes += kFloat * n_query * n_key;
    if (analysis.slots()[s].is_mean()) bytes += 9 * n_query * n_key;
    bytes += 8 * n_query * static_cast<double>(plan.top_k);
    if (plan.draws) {
      // Cells and, for a moment, their copy in a figure.
      const auto pool = static_cast<double>(plan.window.pool);
      bytes += 2 * (kFloat + 1) * (n_query / pool + 1) * (n_key / pool + 1);
    }
  }
  return bytes;
}

// Bytes of one row in the engine's buffers, with its mask.
double row_bytes(const Analysis& analysis) {
  std::size_t longest = 0;
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    longest = std::max(longest, analysis.layer_of(s).shape.n_key);
  }
  return (kFloat + 1) * static_cast<double>(longest);
}

// Bytes while the largest picture is drawn: its pixels, the colours of its cells (at most as many),
// and about as much again for each step of the encoder.
double picture_bytes(const Analysis& analysis, const MemoryPlan& plan) {
  if (!plan.draws) return 0;
  constexpr double kCopies = 4;
  constexpr double kBytesPerPixel = 3;
  const double margin = 600 * render::ui_scale(plan.style);  // titles, labels and colour bar
  double largest = 0;
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    const std::size_t n_key = analysis.layer_of(s).shape.n_key;
    const std::size_t cols = (plan.window.end_of(n_key) - plan.window.first_key) / plan.window.pool;
    const std::size_t rows = analysis.n_queries_of(s) / plan.window.pool;
    const auto cell = static_cast<double>(render::cell_size(rows + 1, cols + 1, plan.style));
    largest = std::max(largest, (cell * static_cast<double>(rows + 1) + margin) *
                                    (cell * static_cast<double>(cols + 1) + margin));
  }
  return kCopies * kBytesPerPixel * largest;
}

}  // namespace

double model_bytes(const ModelConfig& config, std::size_t n_tokens, bool keeps_outputs) {
  const auto n = static_cast<double>(n_tokens);
  const auto width = static_cast<double>(config.d_model);
  const auto inner = static_cast<double>(config.d_inner);
  const auto heads = static_cast<double>((config.n_heads + config.n_kv_heads) * config.d_head);
  const double matrices = config.mlp == MlpKind::kGated ? 3 : 2;
  const double layer = width * (2 * heads + matrices * inner);
  const double states = n * (3 * width + std::max(4 * width, inner));
  const double outputs = keeps_outputs ? n * width * static_cast<double>(config.n_layers) : 0;
  return kFloat * (layer + states + outputs);
}

BlockPlan plan_memory(const OpenedInput& input, const Analysis& analysis, const MemoryPlan& plan,
                      const ResourceOptions& resources) {
  constexpr double kFewestRows = 16;  // fewer make the products too slow to be of use
  constexpr double kSharers = 4;  // blocks that should fit side by side, whatever --threads says
  double bytes = static_cast<double>(input.held_bytes) + static_cast<double>(plan.further_bytes) +
                 result_bytes(analysis, plan);
  if (input.stack != nullptr) bytes += stack_bytes(*input.stack, plan.keeps_outputs);
  if (input.model != nullptr) {
    bytes += model_bytes(input.model->model().config(), input.tokens.size(), plan.keeps_outputs);
  }
  const AttentionShape& shape = analysis.layer_of(0).shape;
  const auto usual_rows = static_cast<double>(
      std::min(default_block_rows(shape), std::max<std::size_t>(1, shape.n_query)));
  const double fewest_rows = std::min(kFewestRows, usual_rows);
  const double a_row = row_bytes(analysis);
  const auto limit = static_cast<double>(resources.memory);
  const double a_picture = picture_bytes(analysis, plan);
  const double at_least = bytes + std::max(fewest_rows * a_row, a_picture);
  if (at_least > limit) {
    fail_input(concat("needs about ", bytes_text(at_least), " of memory; expected at most ",
                      bytes_text(limit)),
               a_picture > fewest_rows * a_row
                   ? "raise --memory, lower --max-size, or leave out the pictures (--no-png)"
                   : "raise --memory, select fewer heads, or try --weights none");
  }
  // Rows follow from shapes and memory alone, so that results do not depend on the threads; the
  // threads then are as many as fit.
  const double rows_that_fit = std::floor((limit - bytes) / a_row);
  BlockPlan out;
  const double rows = std::clamp(std::floor(rows_that_fit / kSharers), fewest_rows, usual_rows);
  if (rows < usual_rows) out.block_rows = static_cast<std::size_t>(rows);
  const auto blocks_that_fit = static_cast<std::size_t>(std::max(1.0, rows_that_fit / rows));
  const std::size_t n_threads = effective_threads(resources.threads);
  out.n_threads = std::min(n_threads, blocks_that_fit);
  out.n_drawing_threads = n_threads;
  if (a_picture > 0) {
    out.n_drawing_threads =
        std::min(n_threads, static_cast<std::size_t>((limit - bytes) / a_picture));
  }
  return out;
}

}  // namespace mha::cli
