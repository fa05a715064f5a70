#include "attend_pooled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mha/attention/row_kernels.hpp"
#include "mha/base/checked.hpp"
#include "mha/base/parallel.hpp"
#include "mha/tensor/gemm.hpp"

#include "score_rows.hpp"

namespace mha {
namespace {

constexpr float kUnseen = -std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kBlockRows = 256;
// Rows that are multiplied together where a mask cuts through a tile: more rows would share more
// cells that some of them may not see, fewer would leave the product too little to do.
constexpr std::size_t kGroupRows = 64;

// Keys of one tile: whole cells, about 512 of them, a multiple of 16 where that is to be had.
std::size_t tile_keys(std::size_t pool) {
  constexpr std::size_t kTarget = 512;
  const std::size_t even = std::lcm(pool, std::size_t{16});
  const std::size_t unit = even <= 2 * kTarget ? even : pool;
  return std::max(unit, kTarget / unit * unit);
}

struct KeyRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t width() const { return end > begin ? end - begin : 0; }
  KeyRange within(KeyRange other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

// Rows [first, end) of a block, and the keys of a tile that any of them may see.
struct RowGroup {
  std::size_t first = 0;
  std::size_t end = 0;
  KeyRange keys;
};

struct CellRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

// What is known of a row after some tiles. `sum` and the row's output are relative to `maximum`.
struct RowState {
  float maximum = kUnseen;
  double sum = 0;
};

class PooledWorker {
 public:
  PooledWorker(const AttentionProblem& problem, const ColumnPool& pool)
      : problem_(problem),
        pool_(pool),
        n_cells_(ceil_div(problem.shape.n_key - pool.first_key, pool.pool)),
        tile_keys_(tile_keys(pool.pool)),
        scores_(problem),
        masker_(problem.rule->mask, problem.shape) {}

  void run(std::size_t head, std::size_t first, std::size_t n_rows, RowSink& sink,
           MatrixView output);

 private:
  KeyRange visible_keys(std::size_t first, std::size_t end) const;
  CellRange cells_of(KeyRange keys) const;
  void clear_cells();
  std::size_t tile_end(std::size_t key) const;
  RowGroup group_at(std::size_t row, KeyRange tile) const;
  void run_group(std::size_t head, std::size_t first, const RowGroup& group, MatrixView output);
  void run_row(std::size_t r, KeyRange part, std::span<float> piece, std::span<float> output);
  float pool_maxima(std::size_t r, KeyRange part, std::span<const float> piece);
  void pool_sums(std::size_t r, KeyRange part, std::span<const float> piece);
  void finish_row(std::size_t r, std::span<float> output);
  // Calls visit(cell, offset into the part, keys) for each cell that a range of keys touches.
  template <typename Visit>
  void for_each_cell(KeyRange part, const Visit& visit) const;

  const AttentionProblem& problem_;
  const ColumnPool pool_;
  const std::size_t n_cells_;
  const std::size_t tile_keys_;
  ScoreRows scores_;
  RowMasker masker_;
  std::vector<RowMask> masks_;
  std::vector<RowState> states_;
  std::vector<KeyRange> group_keys_;  // what each kGroupRows rows of the block see
  // The cells that any row of the block sees. Of a narrow window they are few among many, so the
  // others are neither cleared nor finished.
  CellRange visible_cells_;
  FloatVector tile_;        // (rows, keys) of one group in one tile
  FloatVector cells_;       // (rows, cells): raw maxima, or sums relative to references_
  FloatVector references_;  // (rows, cells): the maximum that a sum is relative to
};

void PooledWorker::run(std::size_t head, std::size_t first, std::size_t n_rows, RowSink& sink,
                       MatrixView output) {
  masks_ = masker_.rows(first, n_rows, {scores_.bias_rows(head, first), nullptr});
  states_.assign(n_rows, {});
  const KeyRange visible = visible_keys(0, n_rows);
  group_keys_.clear();
  for (std::size_t r = 0; r < n_rows; r += kGroupRows) {
    group_keys_.push_back(visible_keys(r, std::min(n_rows, r + kGroupRows)));
  }
  visible_cells_ = cells_of(visible);
  clear_cells();
  for (std::size_t r = 0; r < n_rows && output.data != nullptr; ++r) {
    std::ranges::fill(output.row(r), 0.0F);
  }
  for (std::size_t key = visible.begin; key < visible.end;) {
    const KeyRange tile{key, std::min(visible.end, tile_end(key))};
    for (std::size_t r = 0; r < n_rows;) {
      const RowGroup group = group_at(r, tile);
      if (group.keys.width() > 0) run_group(head, first, group, output);
      r = group.end;
    }
    key = tile.end;
  }
  for (std::size_t r = 0; r < n_rows; ++r) {
    finish_row(r, output.data != nullptr ? output.row(r) : std::span<float>());
  }
  const ConstMatrix values{cells_.data(), n_rows, n_cells_, n_cells_};
  sink.add_pooled({problem_.layer, head, first, values, masks_, &problem_.shape});
}

KeyRange PooledWorker::visible_keys(std::size_t first, std::size_t end) const {
  KeyRange range{problem_.shape.n_key, 0};
  for (std::size_t r = first; r < end; ++r) {
    range.begin = std::min(range.begin, masks_[r].begin);
    range.end = std::max(range.end, masks_[r].end);
  }
  return range;
}

CellRange PooledWorker::cells_of(KeyRange keys) const {
  const std::size_t begin = std::max(keys.begin, pool_.first_key);
  if (begin >= keys.end) return {};
  return {(begin - pool_.first_key) / pool_.pool, ceil_div(keys.end - pool_.first_key, pool_.pool)};
}

void PooledWorker::clear_cells() {
  const bool sums = pool_.kind == ColumnPool::Kind::kSum;
  cells_.resize(states_.size() * n_cells_);
  if (sums) references_.resize(cells_.size());
  const std::size_t count = visible_cells_.end - visible_cells_.first;
  for (std::size_t r = 0; r < states_.size(); ++r) {
    const std::size_t first = r * n_cells_ + visible_cells_.first;
    std::fill_n(cells_.data() + first, count, sums ? 0.0F : kUnseen);
    if (sums) std::fill_n(references_.data() + first, count, kUnseen);
  }
}

// Tiles end where cells end, so that no cell lies in two tiles. They are counted from the first key
// that the block sees: only its last tile may be a short one.
std::size_t PooledWorker::tile_end(std::size_t key) const {
  if (key < pool_.first_key) return pool_.first_key;
  return key - (key - pool_.first_key) % pool_.pool + tile_keys_;
}

// The rows from `row` on that see the same keys of a tile, in steps of kGroupRows: all rows of the
// block except where the mask cuts through the tile.
RowGroup PooledWorker::group_at(std::size_t row, KeyRange tile) const {
  std::size_t g = row / kGroupRows;
  const KeyRange keys = group_keys_[g].within(tile);
  while (g < group_keys_.size() && group_keys_[g].within(tile) == keys) ++g;
  return {row, std::min(masks_.size(), g * kGroupRows), keys};
}

void PooledWorker::run_group(std::size_t head, std::size_t first, const RowGroup& group,
                             MatrixView output) {
  const KeyRange keys = group.keys;
  const std::size_t n_rows = group.end - group.first;
  const std::size_t kv_head = problem_.layout.kv_head(head);
  tile_.resize(n_rows * keys.width());
  const MatrixView tile{tile_.data(), n_rows, keys.width(), keys.width()};
  gemm_transposed_b(scores_.scale(), problem_.q.head(head).row_range(first + group.first, n_rows),
                    problem_.k.head(kv_head).row_range(keys.begin, keys.width()), 0.0F, tile);
  for (std::size_t r = group.first; r < group.end; ++r) {
    const KeyRange part = keys.within({masks_[r].begin, masks_[r].end});
    const std::span<float> row = tile.row(r - group.first);
    if (part.width() == 0) {
      std::ranges::fill(row, 0.0F);
      continue;
    }
    const std::span<float> piece = row.subspan(part.begin - keys.begin, part.width());
    std::fill(row.begin(), row.begin() + (piece.data() - row.data()), 0.0F);
    std::fill(row.begin() + (piece.data() - row.data()) + static_cast<std::ptrdiff_t>(piece.size()),
              row.end(), 0.0F);
    scores_.finish({head, first + r, part.begin, piece}, masks_[r]);
    run_row(r, part, piece, output.data != nullptr ? output.row(r) : std::span<float>());
  }
  if (output.data == nullptr) return;
  gemm(1.0F, tile, problem_.v.head(kv_head).row_range(keys.begin, keys.width()), 1.0F,
       output.row_range(group.first, n_rows));
}

// One row of a tile: pools it, moves the running maximum, and leaves exp(s - maximum) in the piece.
void PooledWorker::run_row(std::size_t r, KeyRange part, std::span<float> piece,
                           std::span<float> output) {
  const RowKernels& kernels = row_kernels();
  RowState& state = states_[r];
  const bool sums = pool_.kind == ColumnPool::Kind::kSum;
  const float largest =
      sums ? kernels.row_maximum(piece.data(), piece.size()) : pool_maxima(r, part, piece);
  const float larger = std::max(state.maximum, largest);
  if (larger == kUnseen) {
    for (float& score : piece) {
      if (std::isnan(score)) state.sum = std::numeric_limits<double>::quiet_NaN();
      score = 0;
    }
    return;
  }
  if (larger > state.maximum && state.maximum != kUnseen) {
    const double factor =
        std::exp(static_cast<double>(state.maximum) - static_cast<double>(larger));
    state.sum *= factor;
    kernels.scale_row(output.data(), output.size(), static_cast<float>(factor));
  }
  state.maximum = larger;
  state.sum += kernels.exp_and_sum(piece.data(), piece.size(), larger);
  if (sums) pool_sums(r, part, piece);
}

template <typename Visit>
void PooledWorker::for_each_cell(KeyRange part, const Visit& visit) const {
  for (std::size_t key = part.begin; key < part.end;) {
    if (key < pool_.first_key) {
      key = std::min(part.end, pool_.first_key);  // a key that the picture leaves out
      continue;
    }
    const std::size_t cell = (key - pool_.first_key) / pool_.pool;
    const std::size_t end = std::min(part.end, pool_.first_key + (cell + 1) * pool_.pool);
    visit(cell, key - part.begin, end - key);
    key = end;
  }
}

// Largest raw score of each cell, and of the keys that are left out; returns the largest of all.
float PooledWorker::pool_maxima(std::size_t r, KeyRange part, std::span<const float> piece) {
  const RowKernels& kernels = row_kernels();
  float largest = kUnseen;
  if (part.begin < pool_.first_key) {
    largest = kernels.row_maximum(piece.data(), std::min(part.end, pool_.first_key) - part.begin);
  }
  float* cells = cells_.data() + r * n_cells_;
  for_each_cell(part, [&](std::size_t cell, std::size_t offset, std::size_t count) {
    cells[cell] = kernels.row_maximum(piece.data() + offset, count);
    largest = std::max(largest, cells[cell]);
  });
  return largest;
}

void PooledWorker::pool_sums(std::size_t r, KeyRange part, std::span<const float> piece) {
  float* cells = cells_.data() + r * n_cells_;
  float* references = references_.data() + r * n_cells_;
  for_each_cell(part, [&](std::size_t cell, std::size_t offset, std::size_t count) {
    cells[cell] =
        std::accumulate(piece.begin() + static_cast<std::ptrdiff_t>(offset),
                        piece.begin() + static_cast<std::ptrdiff_t>(offset + count), 0.0F);
    references[cell] = states_[r].maximum;
  });
}

// Brings the pooled cells and the output of a row to its final maximum and sum.
void PooledWorker::finish_row(std::size_t r, std::span<float> output) {
  const RowState& state = states_[r];
  const CellRange visible = visible_cells_;
  float* cells = cells_.data() + r * n_cells_;
  if (!std::isfinite(state.sum)) {
    masks_[r].has_non_finite = true;
    std::fill(cells + visible.first, cells + visible.end, kNaN);
    std::ranges::fill(output, kNaN);
    return;
  }
  if (state.maximum == kUnseen) {
    masks_[r].n_allowed = 0;
    std::fill(cells + visible.first, cells + visible.end, 0.0F);
    return;  // the output is zero already
  }
  const double inverse = 1.0 / state.sum;
  row_kernels().scale_row(output.data(), output.size(), static_cast<float>(inverse));
  const auto maximum = static_cast<double>(state.maximum);
  const bool sums = pool_.kind == ColumnPool::Kind::kSum;
  for (std::size_t c = visible.first; c < visible.end; ++c) {
    const float reference = sums ? references_[r * n_cells_ + c] : cells[c];
    if (reference == kUnseen) {
      cells[c] = 0;
      continue;
    }
    const double weight = std::exp(static_cast<double>(reference) - maximum) * inverse;
    cells[c] = static_cast<float>(sums ? weight * static_cast<double>(cells[c]) : weight);
  }
}

}  // namespace

void attend_pooled(const AttentionProblem& problem, RowSink& sink, MatrixView concat,
                   const StreamOptions& options) {
  // An output needs every row.
  const QueryRange queries = concat.data == nullptr ? options.queries : QueryRange{};
  const std::size_t n_query = problem.shape.n_query;
  const std::size_t end = queries.end_of(n_query);
  const std::size_t block_rows = options.block_rows > 0 ? options.block_rows : kBlockRows;
  const std::size_t n_blocks = ceil_div(queries.count_of(n_query), block_rows);
  const std::size_t d_value = problem.layout.d_value;
  std::vector<PooledWorker> workers(effective_threads(options.n_threads),
                                    PooledWorker(problem, *sink.column_pool()));
  parallel_for(problem.layout.n_heads * n_blocks, options.n_threads,
               [&](std::size_t item, std::size_t worker) {
                 // Late blocks of a causal head are the long ones: they start first.
                 const std::size_t block = n_blocks - 1 - item % n_blocks;
                 const std::size_t head = item / n_blocks;
                 const std::size_t first = queries.first + block * block_rows;
                 const std::size_t n_rows = std::min(block_rows, end - first);
                 const MatrixView output =
                     concat.data == nullptr ? MatrixView{}
                                            : concat.block(first, n_rows, head * d_value, d_value);
                 workers[worker].run(head, first, n_rows, sink, output);
               });
}

}  // namespace mha
