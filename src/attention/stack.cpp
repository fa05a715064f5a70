#include "mha/attention/stack.hpp"

#include <algorithm>

#include "mha/attention/attend.hpp"
#include "mha/attention/layer_plan.hpp"
#include "mha/attention/rope.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/tensor/gemm.hpp"
#include "mha/tensor/norm.hpp"

#include "observers.hpp"

namespace mha {
namespace {

// Projected queries, keys and values of one layer: one buffer or two, and views of them.
struct Projected {
  Matrix first;   // self-attention: Q, K, V; cross-attention: Q
  Matrix second;  // cross-attention: K, V
  MatrixView q, k, v;
};

Projected project_layer(const LayerCall& call, std::size_t n_threads) {
  const AttentionLayer& layer = *call.weights;
  const HeadLayout& heads = layer.layout;
  const std::size_t q_width = heads.n_heads * heads.d_head;
  const std::size_t k_width = heads.n_kv_heads * heads.d_head;
  const std::size_t v_width = heads.n_kv_heads * heads.d_value;
  Projected out;
  if (call.context == nullptr) {
    out.first = apply(layer.weights.qkv, call.x, n_threads);
    out.q = out.first.view().col_range(0, q_width);
    out.k = out.first.view().col_range(q_width, k_width);
    out.v = out.first.view().col_range(q_width + k_width, v_width);
    return out;
  }
  out.first = apply(layer.weights.q, call.x, n_threads);
  out.second = apply(layer.weights.kv, call.context->view(), n_threads);
  out.q = out.first.view();
  out.k = out.second.view().col_range(0, k_width);
  out.v = out.second.view().col_range(k_width, v_width);
  return out;
}

void check_projection(const char* name, const Projection& projection, std::size_t n_in,
                      std::size_t n_out) {
  const Matrix& w = projection.weight;
  if (w.rows() != n_in || w.cols() != n_out) {
    fail_input(concat(name, " has the wrong shape; expected ", n_in, "x", n_out, ", got ", w.rows(),
                      "x", w.cols()));
  }
  if (!projection.bias.empty() && projection.bias.size() != n_out) {
    fail_input(concat("the bias of ", name, " has the wrong size; expected ", n_out, ", got ",
                      projection.bias.size()));
  }
}

void check_layer(const AttentionLayer& layer, const AttentionShape& shape, std::size_t d_in,
                 std::optional<std::size_t> d_context) {
  check_rule(layer.rule, layer.layout, shape);
  const HeadLayout& heads = layer.layout;
  const std::size_t q_width = heads.n_heads * heads.d_head;
  const std::size_t kv_width = heads.n_kv_heads * (heads.d_head + heads.d_value);
  if (d_context) {
    check_projection("W_Q", layer.weights.q, d_in, q_width);
    check_projection("W_K and W_V", layer.weights.kv, *d_context, kv_width);
  } else {
    check_projection("W_Q, W_K and W_V", layer.weights.qkv, d_in, q_width + kv_width);
  }
  for (const HeadNorm* norm : {&layer.weights.q_norm, &layer.weights.k_norm}) {
    if (norm->empty() || norm->weight.size() == heads.d_head) continue;
    fail_input(concat("the norm of a head has the wrong size; expected ", heads.d_head, ", got ",
                      norm->weight.size()));
  }
  if (!layer.weights.o.weight.empty()) {
    check_projection("W_O", layer.weights.o, heads.n_heads * heads.d_value, layer.d_out());
  }
}

void zero_heads(std::span<const std::size_t> heads, std::size_t d_value, MatrixView concat_heads) {
  for (const std::size_t head : heads) {
    for (std::size_t i = 0; i < concat_heads.rows; ++i) {
      std::ranges::fill(concat_heads.row(i).subspan(head * d_value, d_value), 0.0F);
    }
  }
}

}  // namespace

ConstMatrix AttentionLayer::value_weight(std::size_t head) const {
  const bool is_cross = weights.qkv.weight.empty();
  const ConstMatrix all = is_cross ? weights.kv.weight.view() : weights.qkv.weight.view();
  const std::size_t n_before = (is_cross ? 0 : layout.n_heads) + layout.n_kv_heads;
  return all.col_range(n_before * layout.d_head + layout.kv_head(head) * layout.d_value,
                       layout.d_value);
}

Matrix apply(const Projection& projection, ConstMatrix x, std::size_t n_threads) {
  Matrix out(x.rows, projection.weight.cols());
  parallel_gemm(x, projection.weight.view(), projection.bias, out.view(), n_threads);
  return out;
}

void apply(const HeadNorm& norm, MatrixView x) {
  if (norm.empty()) return;
  const std::size_t d_head = norm.weight.size();
  for (std::size_t col = 0; col < x.cols; col += d_head) {
    rms_norm(norm.weight, norm.epsilon, x.col_range(col, d_head));
  }
}

Projection columns_of(const Projection& projection, std::size_t first, std::size_t count) {
  Projection out{copy_of(projection.weight.view().col_range(first, count)), {}};
  if (projection.bias.empty()) return out;
  const auto begin = projection.bias.begin() + static_cast<std::ptrdiff_t>(first);
  out.bias.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  return out;
}

Projection side_by_side(std::span<const Projection* const> parts) {
  const std::size_t rows = parts.front()->weight.rows();
  std::size_t cols = 0;
  bool has_bias = false;
  for (const Projection* part : parts) {
    cols += part->weight.cols();
    has_bias = has_bias || !part->bias.empty();
  }
  Projection out{Matrix(rows, cols), {}};
  std::size_t col = 0;
  for (const Projection* part : parts) {
    const ConstMatrix from = part->weight.view();
    const MatrixView to = out.weight.view().col_range(col, from.cols);
    for (std::size_t i = 0; i < rows; ++i) std::ranges::copy(from.row(i), to.row(i).begin());
    col += from.cols;
    if (!has_bias) continue;
    out.bias.insert(out.bias.end(), part->bias.begin(), part->bias.end());
    out.bias.resize(col, 0.0F);
  }
  return out;
}

AttentionStack::AttentionStack(Input input) : input_(std::move(input)) {
  const bool is_cross = input_.context.has_value();
  const std::size_t n_query = input_.x.rows();
  const AttentionShape shape{n_query, is_cross ? input_.context->rows() : n_query, is_cross};
  const auto d_context = is_cross ? std::optional(input_.context->cols()) : std::nullopt;
  std::size_t d_in = input_.x.cols();
  for (std::size_t l = 0; l < input_.layers.size(); ++l) {
    const AttentionLayer& layer = input_.layers[l];
    try {
      check_layer(layer, shape, d_in, d_context);
      if (input_.residual && layer.d_out() != d_in) {
        fail_input(concat("a residual needs an output as wide as the input; expected ", d_in,
                          ", got ", layer.d_out()));
      }
    } catch (const Error& error) {
      throw error.at(concat("layer ", l));
    }
    d_in = layer.d_out();
    infos_.push_back({layer.layout.n_heads, shape, &layer.rule.mask});
  }
}

LayerInput AttentionStack::input_of(std::size_t layer, std::size_t n_threads) const {
  std::vector<Matrix> inputs;  // X of the layers after the first
  StreamOptions options;
  options.n_threads = n_threads;
  options.layers = {0, layer};
  options.inputs = &inputs;
  NoRows unheard;
  if (layer == 0) return {input_.layers[0], input_.x, input_.context, input_.residual};
  stream(unheard, options);
  return {input_.layers[layer], std::move(inputs[layer - 1]), input_.context, input_.residual};
}

void AttentionStack::stream(RowSink& sink, const StreamOptions& options) const {
  if (options.outputs != nullptr) options.outputs->clear();
  const std::size_t n_layers = input_.layers.size();
  const std::size_t end = std::min(options.layers.end, n_layers);
  NoRows unheard;
  Matrix current;  // X of the layers after the first
  std::size_t l = first_layer_to_run(options);
  ConstMatrix x = l == 0 ? input_.x.view() : std::as_const((*options.inputs)[l - 1]).view();
  for (; l < end; ++l) {
    const LayerPlan plan(l, n_layers, options);
    LayerCall call{l, infos_[l].shape, &input_.layers[l]};
    call.x = x;
    if (input_.context) call.context = &*input_.context;
    call.wants_output = plan.wants_output;
    Matrix y = run_layer(call, plan.is_asked ? sink : unheard, options);
    if (options.outputs != nullptr && plan.is_asked) options.outputs->push_back(y);
    if (!plan.wants_next) break;
    if (input_.residual) add_to(y.view(), x);
    if (options.inputs == nullptr) {
      current = std::move(y);
      x = std::as_const(current).view();
    } else {
      if (plan.keeps_next) options.inputs->push_back(std::move(y));
      x = std::as_const((*options.inputs)[l]).view();
    }
  }
}

Matrix run_layer(const LayerCall& call, RowSink& sink, const StreamOptions& options) {
  const AttentionLayer& layer = *call.weights;
  const HeadLayout& heads = layer.layout;
  const AttentionRule& rule = call.rule == nullptr ? layer.rule : *call.rule;
  Projected projected = project_layer(call, options.n_threads);
  apply(layer.weights.q_norm, projected.q);
  apply(layer.weights.k_norm, projected.k);
  if (rule.position == PositionKind::kRope) {
    apply_rope(rule.rope, call.shape.position_offset(), heads.d_head, projected.q,
               options.n_threads);
    apply_rope(rule.rope, 0, heads.d_head, projected.k, options.n_threads);
  }
  const AttentionProblem problem{call.layer,
                                 call.shape,
                                 heads,
                                 &rule,
                                 heads_in_columns(projected.q, heads.d_head),
                                 heads_in_columns(projected.k, heads.d_head),
                                 heads_in_columns(projected.v, heads.d_value)};
  const LayerValues values{call.layer, call.shape, heads, problem.v, layer.weights.o.weight.view()};
  const Observers observers(options, call.layer);
  observers.before_rows(values);
  Matrix concat_heads;
  if (call.wants_output || observers.want_heads()) {
    concat_heads = Matrix(call.shape.n_query, heads.n_heads * heads.d_value);
  }
  attend(problem, sink, concat_heads.view(), options);
  if (!concat_heads.empty()) zero_heads(call.ablated_heads, heads.d_value, concat_heads.view());
  observers.after_rows(values, std::as_const(concat_heads).view());
  if (!call.wants_output || layer.weights.o.weight.empty()) return concat_heads;
  return apply(layer.weights.o, std::as_const(concat_heads).view(), options.n_threads);
}

}  // namespace mha
