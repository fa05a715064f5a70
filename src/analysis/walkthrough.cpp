#include "mha/analysis/walkthrough.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "mha/attention/rope.hpp"
#include "mha/base/parallel.hpp"
#include "mha/tensor/gemm.hpp"

#include "score_steps.hpp"

namespace mha {
namespace {

Matrix cut_columns(const Matrix& m, std::size_t first, std::size_t n) {
  return copy_of(m.view().col_range(first, n));
}

Step slice(StepKind kind, const Projection& projection, std::size_t first, std::size_t n) {
  Projection part = columns_of(projection, first, n);
  return {kind, std::move(part.weight), std::move(part.bias)};
}

// The last of the stages that a layer has.
const Matrix& last_of(std::initializer_list<const Matrix*> stages) {
  const Matrix* last = *stages.begin();
  for (const Matrix* stage : stages) {
    if (!stage->empty()) last = stage;
  }
  return *last;
}

}  // namespace

const Step* Walkthrough::find(StepKind kind) const {
  const auto found = std::ranges::find(steps, kind, &Step::kind);
  return found == steps.end() ? nullptr : &*found;
}

LayerWalk::LayerWalk(LayerInput input, std::size_t n_threads)
    : layout_(input.layer.layout),
      shape_{input.x.rows(), input.context ? input.context->rows() : input.x.rows(),
             input.context.has_value()},
      rule_(std::move(input.layer.rule)),
      input_(std::move(input)) {
  o_ = std::move(input_->layer.weights.o);
  project(n_threads);
  join_heads(n_threads);
}

LayerWalk::LayerWalk(const QkvLayer& layer, std::size_t n_threads)
    : layout_(layer.layout),
      shape_(layer.shape),
      rule_(layer.rule),
      o_(layer.o),
      is_rotated_(layer.is_rotated),
      q_(in_columns(layer.q, layout_.n_heads)),
      k_(in_columns(layer.k, layout_.n_kv_heads)) {
  if (layer.v.data != nullptr) v_ = in_columns(layer.v, layout_.n_kv_heads);
  join_heads(n_threads);
}

LayerWalk::LayerWalk(const ScoreLayer& layer) : shape_(layer.shape) {
  layout_.n_heads = layout_.n_kv_heads = layer.n_heads;
  rule_.mask = layer.mask;
  const std::size_t cells = shape_.n_query * shape_.n_key;
  for (std::size_t h = 0; h < layer.n_heads; ++h) {
    known_scores_.push_back(
        copy_of({layer.scores.data() + h * cells, shape_.n_query, shape_.n_key, shape_.n_key}));
  }
}

void LayerWalk::project(std::size_t n_threads) {
  const LayerWeights& weights = input_->layer.weights;
  const std::size_t q_width = layout_.n_heads * layout_.d_head;
  const std::size_t k_width = layout_.n_kv_heads * layout_.d_head;
  const std::size_t v_width = layout_.n_kv_heads * layout_.d_value;
  const Matrix first =
      apply(input_->context ? weights.q : weights.qkv, input_->x.view(), n_threads);
  const Matrix second = input_->context ? apply(weights.kv, input_->context->view(), n_threads)
                                        : cut_columns(first, q_width, k_width + v_width);
  q_ = cut_columns(first, 0, q_width);
  k_ = cut_columns(second, 0, k_width);
  v_ = cut_columns(second, k_width, v_width);
  if (!weights.q_norm.empty()) {
    normed_q_ = q_;
    normed_k_ = k_;
    apply(weights.q_norm, normed_q_.view());
    apply(weights.k_norm, normed_k_.view());
  }
  if (rule_.position != PositionKind::kRope) return;
  rotated_q_ = normed_q_.empty() ? q_ : normed_q_;
  rotated_k_ = normed_k_.empty() ? k_ : normed_k_;
  apply_rope(rule_.rope, shape_.position_offset(), layout_.d_head, rotated_q_.view(), n_threads);
  apply_rope(rule_.rope, 0, layout_.d_head, rotated_k_.view(), n_threads);
}

// All heads are computed for the concatenation, each as in its own walkthrough.
void LayerWalk::join_heads(std::size_t n_threads) {
  if (v_.empty()) return;
  const std::size_t width = layout_.d_value;
  concat_ = Matrix(shape_.n_query, layout_.n_heads * width);
  parallel_for(layout_.n_heads, n_threads, [&](std::size_t h, std::size_t) {
    Walkthrough walk = begin(h);
    add_scores(&walk);
    const ConstMatrix v = std::as_const(v_).view().col_range(layout_.kv_head(h) * width, width);
    gemm(1, std::as_const(walk.steps.back().values).view(), v, 0,
         concat_.view().col_range(h * width, width));
  });
  if (!o_.weight.empty()) output_ = apply(o_, std::as_const(concat_).view(), n_threads);
}

Walkthrough LayerWalk::begin(std::size_t head) const {
  Walkthrough walk;
  walk.head = head;
  walk.layout = layout_;
  walk.shape = shape_;
  walk.is_rotated = is_rotated_;
  walk.rule = rule_;
  walk.rule.bias.clear();
  if (!rule_.bias.empty()) {
    const std::size_t cells = shape_.n_query * shape_.n_key;
    const std::size_t bias_head = rule_.bias_heads == 1 ? 0 : head;
    const auto first = rule_.bias.begin() + static_cast<std::ptrdiff_t>(bias_head * cells);
    walk.bias.assign(first, first + static_cast<std::ptrdiff_t>(cells));
  }
  if (rule_.position == PositionKind::kAlibi) walk.slope = alibi_slopes(layout_.n_heads)[head];
  return walk;
}

void LayerWalk::add_scores(Walkthrough* walk) const {
  if (!known_scores_.empty()) return add_known_scores(known_scores_[walk->head], walk);
  const std::size_t width = layout_.d_head;
  const Matrix& q = last_of({&q_, &normed_q_, &rotated_q_});
  const Matrix& k = last_of({&k_, &normed_k_, &rotated_k_});
  add_score_steps(q.view().col_range(walk->head * width, width),
                  k.view().col_range(walk->kv_head() * width, width), walk);
}

void LayerWalk::add_inputs(Walkthrough* walk) const {
  if (input_) {
    walk->steps.push_back({StepKind::kInput, input_->x});
    if (input_->context) walk->steps.push_back({StepKind::kContext, *input_->context});
  }
  if (layout_.n_kv_heads == layout_.n_heads) return;
  Matrix reads(layout_.n_heads, layout_.n_kv_heads);
  for (std::size_t h = 0; h < layout_.n_heads; ++h) {
    for (std::size_t g = 0; g < layout_.n_kv_heads; ++g) {
      reads(h, g) = layout_.kv_head(h) == g ? 1.0F : 0.0F;
    }
  }
  walk->steps.push_back({StepKind::kKvHeads, std::move(reads)});
}

void LayerWalk::add_weights(Walkthrough* walk) const {
  const LayerWeights& weights = input_->layer.weights;
  const bool is_cross = input_->context.has_value();
  const Projection& kv = is_cross ? weights.kv : weights.qkv;
  const std::size_t d_head = layout_.d_head;
  const std::size_t k_first = is_cross ? 0 : layout_.n_heads * d_head;
  const std::size_t v_first = k_first + layout_.n_kv_heads * d_head;
  const std::size_t g = walk->kv_head();
  walk->steps.push_back(slice(StepKind::kQueryWeight, is_cross ? weights.q : weights.qkv,
                              walk->head * d_head, d_head));
  walk->steps.push_back(slice(StepKind::kKeyWeight, kv, k_first + g * d_head, d_head));
  walk->steps.push_back(
      slice(StepKind::kValueWeight, kv, v_first + g * layout_.d_value, layout_.d_value));
}

void LayerWalk::add_vectors(Walkthrough* walk) const {
  const std::size_t d_head = layout_.d_head;
  const std::size_t g = walk->kv_head();
  walk->steps.push_back({StepKind::kQueries, cut_columns(q_, walk->head * d_head, d_head)});
  walk->steps.push_back({StepKind::kKeys, cut_columns(k_, g * d_head, d_head)});
  if (!v_.empty()) {
    walk->steps.push_back(
        {StepKind::kValues, cut_columns(v_, g * layout_.d_value, layout_.d_value)});
  }
  if (!normed_q_.empty()) {
    walk->steps.push_back(
        {StepKind::kNormedQueries, cut_columns(normed_q_, walk->head * d_head, d_head)});
    walk->steps.push_back({StepKind::kNormedKeys, cut_columns(normed_k_, g * d_head, d_head)});
  }
  if (rotated_q_.empty()) return;
  walk->steps.push_back(
      {StepKind::kRotatedQueries, cut_columns(rotated_q_, walk->head * d_head, d_head)});
  walk->steps.push_back({StepKind::kRotatedKeys, cut_columns(rotated_k_, g * d_head, d_head)});
}

void LayerWalk::add_outputs(Walkthrough* walk) const {
  const std::size_t width = layout_.d_value;
  walk->steps.push_back({StepKind::kHeadOutput, cut_columns(concat_, walk->head * width, width)});
  walk->steps.push_back({StepKind::kConcat, concat_});
  if (!o_.weight.empty()) {
    walk->steps.push_back({StepKind::kOutputWeight, o_.weight, o_.bias});
    walk->steps.push_back({StepKind::kOutput, output_});
  }
  if (!input_ || !input_->residual) return;
  Matrix sum = walk->steps.back().values;
  add_to(sum.view(), input_->x.view());
  walk->steps.push_back({StepKind::kResidual, std::move(sum)});
}

Walkthrough LayerWalk::head(std::size_t head) const {
  Walkthrough walk = begin(head);
  add_inputs(&walk);
  if (input_) add_weights(&walk);
  if (!q_.empty()) add_vectors(&walk);
  add_scores(&walk);
  if (!v_.empty()) add_outputs(&walk);
  return walk;
}

}  // namespace mha
