#include "mha/attention/known_scores.hpp"

#include <algorithm>
#include <limits>

#include "mha/attention/row_kernels.hpp"
#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

// Scores of one row to weights, in place; what is not allowed becomes 0.
void softmax_masked(RowMask* mask, std::span<float> row) {
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!mask->allows(j)) row[j] = -std::numeric_limits<float>::infinity();
  }
  const SoftmaxOutcome outcome = softmax_row(row.data(), row.size());
  if (outcome == SoftmaxOutcome::kNoFiniteScore) mask->n_allowed = 0;
  if (outcome != SoftmaxOutcome::kNonFinite) return;
  mask->has_non_finite = true;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!mask->allows(j)) row[j] = 0;
  }
}

void stream_block(std::size_t index, const ScoreLayer& layer, std::size_t item,
                  std::size_t block_rows, RowSink& sink) {
  const std::size_t n_query = layer.shape.n_query;
  const std::size_t n_key = layer.shape.n_key;
  const std::size_t n_blocks = ceil_div(n_query, block_rows);
  const std::size_t head = item / n_blocks;
  const std::size_t first = item % n_blocks * block_rows;
  const std::size_t n_rows = std::min(block_rows, n_query - first);
  const float* from = layer.scores.data() + (head * n_query + first) * n_key;

  FloatVector scratch;
  MatrixView rows;
  if (const auto place = sink.place_for(index, head, first, n_rows)) {
    rows = *place;
  } else {
    scratch.resize(n_rows * n_key);
    rows = {scratch.data(), n_rows, n_key, n_key};
  }
  for (std::size_t r = 0; r < n_rows; ++r) {
    std::copy_n(from + r * n_key, n_key, rows.row(r).begin());
  }
  RowMasker masker(layer.mask, layer.shape);
  std::vector<RowMask> masks = masker.rows(first, n_rows, {from, nullptr});
  for (std::size_t r = 0; r < n_rows; ++r) softmax_masked(&masks[r], rows.row(r));
  sink.add({index, head, first, rows, masks, &layer.shape});
}

}  // namespace

KnownScores::KnownScores(std::vector<ScoreLayer> layers) : data_(std::move(layers)) {
  for (std::size_t l = 0; l < data_.size(); ++l) {
    const ScoreLayer& layer = data_[l];
    const std::size_t cells = checked_mul(layer.shape.n_query, layer.shape.n_key);
    if (layer.scores.size() != checked_mul(layer.n_heads, cells)) {
      fail_input(concat("layer ", l, ": the scores have the wrong size; expected ", layer.n_heads,
                        "x", layer.shape.n_query, "x", layer.shape.n_key));
    }
    check_mask(layer.mask, layer.shape);
    infos_.push_back({layer.n_heads, layer.shape, &layer.mask});
  }
}

void KnownScores::stream(RowSink& sink, const StreamOptions& options) const {
  if (options.outputs != nullptr) options.outputs->clear();
  for (std::size_t l = 0; l < data_.size(); ++l) {
    if (!options.layers.contains(l)) continue;
    const ScoreLayer& layer = data_[l];
    const std::size_t block_rows =
        options.block_rows > 0 ? options.block_rows : default_block_rows(layer.shape);
    const std::size_t n_items = layer.n_heads * ceil_div(layer.shape.n_query, block_rows);
    parallel_for(n_items, options.n_threads, [&](std::size_t item, std::size_t) {
      stream_block(l, layer, item, block_rows, sink);
    });
  }
}

}  // namespace mha
