#include "mha/attention/qkv_layers.hpp"

#include <algorithm>

#include "mha/attention/rope.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/tensor/gemm.hpp"

#include "observers.hpp"

namespace mha {
namespace {

void rotate(QkvLayer* layer, HeadViews* heads, FloatStorage* storage, std::size_t n_heads,
            std::size_t first_position) {
  Matrix rotated = in_columns(*heads, n_heads);
  apply_rope(layer->rule.rope, first_position, heads->width, rotated.view(), 0);
  const std::size_t cols = rotated.cols();
  const std::size_t rows = rotated.rows();
  *storage = FloatStorage(FloatVector(rotated.data(), rotated.data() + rows * cols));
  *heads = heads_in_columns({storage->data(), rows, cols, cols}, heads->width);
}

Matrix output_of(const QkvLayer& layer, const Matrix& heads, std::size_t n_threads) {
  return layer.o.weight.empty() ? heads : apply(layer.o, heads.view(), n_threads);
}

}  // namespace

QkvLayers::QkvLayers(std::vector<QkvLayer> layers) : data_(std::move(layers)) {
  for (std::size_t l = 0; l < data_.size(); ++l) {
    QkvLayer& layer = data_[l];
    try {
      check_rule(layer.rule, layer.layout, layer.shape);
    } catch (const Error& error) {
      throw error.at(concat("layer ", l));
    }
    if (layer.rule.position == PositionKind::kRope) {
      rotate(&layer, &layer.q, &layer.q_data, layer.layout.n_heads, layer.shape.position_offset());
      rotate(&layer, &layer.k, &layer.k_data, layer.layout.n_kv_heads, 0);
      layer.rule.position = PositionKind::kNone;
      layer.is_rotated = true;
    }
    infos_.push_back({layer.layout.n_heads, layer.shape, &layer.rule.mask});
  }
}

bool QkvLayers::has_outputs() const {
  return std::ranges::all_of(data_, [](const QkvLayer& layer) { return layer.v.data != nullptr; });
}

void QkvLayers::stream(RowSink& sink, const StreamOptions& options) const {
  const bool wants_outputs = options.outputs != nullptr && has_outputs();
  if (options.outputs != nullptr) options.outputs->clear();
  for (std::size_t l = 0; l < data_.size(); ++l) {
    if (!options.layers.contains(l)) continue;
    const QkvLayer& layer = data_[l];
    const HeadLayout& layout = layer.layout;
    const AttentionProblem problem{l, layer.shape, layout, &layer.rule, layer.q, layer.k, layer.v};
    if (layer.v.data == nullptr) {
      attend(problem, sink, {}, options);
      continue;
    }
    const LayerValues values{l, layer.shape, layout, layer.v, layer.o.weight.view()};
    const Observers observers(options, l);
    observers.before_rows(values);
    Matrix concatenated;
    if (wants_outputs || observers.want_heads()) {
      concatenated = Matrix(layer.shape.n_query, layout.n_heads * layout.d_value);
    }
    attend(problem, sink, concatenated.view(), options);
    observers.after_rows(values, std::as_const(concatenated).view());
    if (wants_outputs)
      options.outputs->push_back(output_of(layer, concatenated, options.n_threads));
  }
}

}  // namespace mha
