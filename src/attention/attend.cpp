#include "mha/attention/attend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/attention/row_kernels.hpp"
#include "mha/base/checked.hpp"
#include "mha/base/parallel.hpp"
#include "mha/tensor/gemm.hpp"

#include "attend_pooled.hpp"
#include "score_rows.hpp"

namespace mha {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

// Keys of one product: scores of a block over this many keys stay in a core's cache until they are
// exponentiated.
constexpr std::size_t kTileKeys = 512;

// A row whose keys have been seen up to some tile. Weights of tile t are exp(s - maximum_t) for the
// running maximum at that time; they are put right once the whole row is known.
struct RowProgress {
  float maximum = kHidden;
  double sum = 0;  // relative to `maximum`
};

// What one thread needs while it works on blocks, kept from block to block.
class BlockWorker {
 public:
  explicit BlockWorker(const AttentionProblem& problem)
      : problem_(problem), scores_(problem), masker_(problem.rule->mask, problem.shape) {}

  void run(std::size_t head, std::size_t first, std::size_t n_rows, RowSink& sink,
           MatrixView concat);

 private:
  struct Range {
    std::size_t begin;
    std::size_t end;
    std::size_t width() const { return end > begin ? end - begin : 0; }
  };
  Range visible_keys() const;
  MatrixView rows_to_write(std::size_t head, std::size_t first, std::size_t n_rows, RowSink& sink);
  void score_tile(std::size_t head, std::size_t first, Range keys, MatrixView rows);
  void finish_row(RowMask* mask, std::size_t row, Range visible, std::span<float> weights) const;
  void deliver(std::size_t head, std::size_t first, Range visible, MatrixView rows, RowSink& sink);

  const AttentionProblem& problem_;
  ScoreRows scores_;
  RowMasker masker_;
  FloatVector scratch_;
  std::vector<RowMask> masks_;
  std::vector<RowProgress> progress_;
  std::vector<float> tile_maxima_;  // (tile, row)
  std::size_t n_tiles_ = 0;
};

void BlockWorker::run(std::size_t head, std::size_t first, std::size_t n_rows, RowSink& sink,
                      MatrixView concat) {
  masks_ = masker_.rows(first, n_rows, {scores_.bias_rows(head, first), nullptr});
  const MatrixView rows = rows_to_write(head, first, n_rows, sink);
  const Range visible = visible_keys();
  progress_.assign(n_rows, {});
  n_tiles_ = ceil_div(visible.width(), kTileKeys);
  tile_maxima_.assign(n_tiles_ * n_rows, kHidden);
  n_tiles_ = 0;
  for (std::size_t key = visible.begin; key < visible.end; key += kTileKeys) {
    score_tile(head, first, {key, std::min(visible.end, key + kTileKeys)}, rows);
  }
  deliver(head, first, visible, rows, sink);
  if (concat.data == nullptr) return;
  const HeadLayout& layout = problem_.layout;
  const std::size_t kv_head = layout.kv_head(head);
  const ConstMatrix v = problem_.v.head(kv_head).row_range(visible.begin, visible.width());
  gemm(1.0F, rows.col_range(visible.begin, visible.width()), v, 0.0F,
       concat.block(first, n_rows, head * layout.d_value, layout.d_value));
}

// Keys that no row of the block may see are left out of both products.
BlockWorker::Range BlockWorker::visible_keys() const {
  Range range{problem_.shape.n_key, 0};
  for (const RowMask& mask : masks_) {
    range.begin = std::min(range.begin, mask.begin);
    range.end = std::max(range.end, mask.end);
  }
  if (range.end < range.begin) range = {0, 0};
  return range;
}

MatrixView BlockWorker::rows_to_write(std::size_t head, std::size_t first, std::size_t n_rows,
                                      RowSink& sink) {
  if (const auto place = sink.place_for(problem_.layer, head, first, n_rows)) return *place;
  const std::size_t n_key = problem_.shape.n_key;
  scratch_.resize(n_rows * n_key);
  return {scratch_.data(), n_rows, n_key, n_key};
}

// pass 1, tile by tile: scores, then exp(s - running maximum).
void BlockWorker::score_tile(std::size_t head, std::size_t first, Range keys, MatrixView rows) {
  const ConstMatrix k = problem_.k.head(problem_.layout.kv_head(head));
  gemm_transposed_b(scores_.scale(), problem_.q.head(head).row_range(first, rows.rows),
                    k.row_range(keys.begin, keys.width()), 0.0F,
                    rows.col_range(keys.begin, keys.width()));
  const RowKernels& kernels = row_kernels();
  float* maxima = tile_maxima_.data() + n_tiles_++ * rows.rows;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const RowMask& mask = masks_[r];
    const Range part{std::max(keys.begin, mask.begin), std::min(keys.end, mask.end)};
    if (part.width() == 0) continue;
    const std::span<float> piece = rows.row(r).subspan(part.begin, part.width());
    scores_.finish({head, first + r, part.begin, piece}, mask);
    RowProgress& row = progress_[r];
    const float larger = std::max(row.maximum, kernels.row_maximum(piece.data(), piece.size()));
    if (larger == kHidden) {
      // Nothing finite so far: the piece is hidden, or not a number, which the sum must remember.
      for (float& score : piece) {
        if (std::isnan(score)) row.sum = std::numeric_limits<double>::quiet_NaN();
        score = 0;
      }
      continue;
    }
    if (larger > row.maximum && row.maximum != kHidden) {
      row.sum *= std::exp(static_cast<double>(row.maximum) - static_cast<double>(larger));
    }
    row.maximum = larger;
    maxima[r] = larger;
    row.sum += kernels.exp_and_sum(piece.data(), piece.size(), larger);
  }
}

// pass 2: brings every tile of a row to the final maximum and sum; cells outside the mask become 0.
void BlockWorker::finish_row(RowMask* mask, std::size_t r, Range visible,
                             std::span<float> weights) const {
  const auto fill = [&weights](std::size_t begin, std::size_t end, float value) {
    std::fill(weights.begin() + static_cast<std::ptrdiff_t>(begin),
              weights.begin() + static_cast<std::ptrdiff_t>(end), value);
  };
  fill(0, mask->begin, 0.0F);
  fill(std::max(mask->begin, mask->end), weights.size(), 0.0F);
  const RowProgress& row = progress_[r];
  if (!std::isfinite(row.sum)) {
    mask->has_non_finite = true;
    for (std::size_t j = mask->begin; j < mask->end; ++j) {
      weights[j] = mask->allows(j) ? std::numeric_limits<float>::quiet_NaN() : 0.0F;
    }
    return;
  }
  if (row.maximum == kHidden) {
    mask->n_allowed = 0;
    fill(mask->begin, std::max(mask->begin, mask->end), 0.0F);
    return;
  }
  for (std::size_t t = 0; t < n_tiles_; ++t) {
    const std::size_t key = visible.begin + t * kTileKeys;
    const std::size_t begin = std::max(key, mask->begin);
    const std::size_t end = std::min({key + kTileKeys, visible.end, mask->end});
    if (begin >= end) continue;
    const float maximum = tile_maxima_[t * progress_.size() + r];
    const double factor =
        maximum == kHidden
            ? 0.0
            : std::exp(static_cast<double>(maximum) - static_cast<double>(row.maximum)) / row.sum;
    row_kernels().scale_row(weights.data() + begin, end - begin, static_cast<float>(factor));
  }
}

// Hands over finished rows a few at a time, so that all analyses see them while they are in cache.
void BlockWorker::deliver(std::size_t head, std::size_t first, Range visible, MatrixView rows,
                          RowSink& sink) {
  constexpr std::size_t kCacheFloats = std::size_t{64} * 1024;
  const std::size_t step =
      std::max<std::size_t>(1, kCacheFloats / std::max<std::size_t>(1, rows.cols));
  for (std::size_t r = 0; r < rows.rows; r += step) {
    const std::size_t count = std::min(step, rows.rows - r);
    for (std::size_t i = r; i < r + count; ++i) finish_row(&masks_[i], i, visible, rows.row(i));
    sink.add({problem_.layer, head, first + r, rows.row_range(r, count),
              std::span(masks_).subspan(r, count), &problem_.shape});
  }
}

}  // namespace

std::size_t default_block_rows(const AttentionShape& shape) {
  // Many rows share the cost of packing K for the product; 32 MiB of row buffer a thread is the
  // price at most, but at least 64 rows.
  constexpr std::size_t kBlockFloats = std::size_t{8} << 20;
  constexpr std::size_t kFewest = 64;
  constexpr std::size_t kMost = 256;
  return std::clamp(kBlockFloats / std::max<std::size_t>(1, shape.n_key), kFewest, kMost);
}

Matrix in_columns(const HeadViews& heads, std::size_t n_heads) {
  Matrix out(heads.rows, n_heads * heads.width);
  for (std::size_t h = 0; h < n_heads; ++h) {
    const ConstMatrix from = heads.head(h);
    for (std::size_t i = 0; i < heads.rows; ++i) {
      std::ranges::copy(from.row(i), out.data() + i * out.cols() + h * heads.width);
    }
  }
  return out;
}

void attend(const AttentionProblem& problem, RowSink& sink, MatrixView concat,
            const StreamOptions& options) {
  if (sink.column_pool()) {
    attend_pooled(problem, sink, concat, options);
    return;
  }
  // An output needs every row.
  const QueryRange queries = concat.data == nullptr ? options.queries : QueryRange{};
  const std::size_t n_query = problem.shape.n_query;
  const std::size_t end = queries.end_of(n_query);
  const std::size_t block_rows =
      options.block_rows > 0 ? options.block_rows : default_block_rows(problem.shape);
  const std::size_t n_blocks = ceil_div(queries.count_of(n_query), block_rows);
  std::vector<BlockWorker> workers(effective_threads(options.n_threads), BlockWorker(problem));
  parallel_for(problem.layout.n_heads * n_blocks, options.n_threads,
               [&](std::size_t item, std::size_t worker) {
                 // Late blocks of a causal head are the long ones: they start first.
                 const std::size_t first =
                     queries.first + (n_blocks - 1 - item % n_blocks) * block_rows;
                 const std::size_t n_rows = std::min(block_rows, end - first);
                 workers[worker].run(item / n_blocks, first, n_rows, sink, concat);
               });
}

}  // namespace mha
