#include "mha/attention/attend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/attention/row_kernels.hpp"
#include "mha/base/checked.hpp"
#include "mha/base/parallel.hpp"
#include "mha/tensor/gemm.hpp"

namespace mha {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

// What one thread needs while it works on blocks, kept from block to block.
class BlockWorker {
 public:
  BlockWorker(const AttentionProblem& problem, const std::vector<double>& slopes)
      : problem_(problem),
        rule_(*problem.rule),
        slopes_(slopes),
        scale_(static_cast<float>(rule_.scale_for(problem.layout.d_head))),
        masker_(rule_.mask, problem.shape) {}

  void run(std::size_t head, std::size_t first, std::size_t n_rows, RowSink& sink,
           MatrixView concat);

 private:
  MatrixView rows_to_write(std::size_t head, std::size_t first, std::size_t n_rows, RowSink& sink);
  void finish_row(std::size_t head, std::size_t query, RowMask* mask, std::span<float> row) const;
  void adjust_scores(std::size_t head, std::size_t query, const RowMask& mask,
                     std::span<float> row) const;
  const float* bias_rows(std::size_t head, std::size_t query) const;

  const AttentionProblem& problem_;
  const AttentionRule& rule_;
  const std::vector<double>& slopes_;
  const float scale_;
  RowMasker masker_;
  FloatVector scratch_;
};

void BlockWorker::run(std::size_t head, std::size_t first, std::size_t n_rows, RowSink& sink,
                      MatrixView concat) {
  const HeadLayout& layout = problem_.layout;
  const std::size_t kv_head = layout.kv_head(head);
  std::vector<RowMask> masks = masker_.rows(first, n_rows, {bias_rows(head, first), nullptr});
  const MatrixView rows = rows_to_write(head, first, n_rows, sink);

  // Keys that no row of the block may see are left out of both products.
  std::size_t begin = problem_.shape.n_key;
  std::size_t end = 0;
  for (const RowMask& mask : masks) {
    begin = std::min(begin, mask.begin);
    end = std::max(end, mask.end);
  }
  const std::size_t width = end > begin ? end - begin : 0;

  const ConstMatrix q = problem_.q.block(first, n_rows, head * layout.d_head, layout.d_head);
  const ConstMatrix k = problem_.k.block(begin, width, kv_head * layout.d_head, layout.d_head);
  gemm_transposed_b(scale_, q, k, 0.0F, rows.col_range(begin, width));
  for (std::size_t r = 0; r < n_rows; ++r) finish_row(head, first + r, &masks[r], rows.row(r));

  sink.add({problem_.layer, head, first, rows, masks, &problem_.shape});
  if (concat.data == nullptr) return;
  const ConstMatrix v = problem_.v.block(begin, width, kv_head * layout.d_value, layout.d_value);
  gemm(1.0F, rows.col_range(begin, width), v, 0.0F,
       concat.block(first, n_rows, head * layout.d_value, layout.d_value));
}

MatrixView BlockWorker::rows_to_write(std::size_t head, std::size_t first, std::size_t n_rows,
                                      RowSink& sink) {
  if (const auto place = sink.place_for(problem_.layer, head, first, n_rows)) return *place;
  const std::size_t n_key = problem_.shape.n_key;
  scratch_.resize(n_rows * n_key);
  return {scratch_.data(), n_rows, n_key, n_key};
}

const float* BlockWorker::bias_rows(std::size_t head, std::size_t query) const {
  if (rule_.bias.empty()) return nullptr;
  const std::size_t bias_head = rule_.bias_heads == 1 ? 0 : head;
  const AttentionShape& shape = problem_.shape;
  return rule_.bias.data() + (bias_head * shape.n_query + query) * shape.n_key;
}

// Turns the scaled dot products of one row into weights; cells outside the mask become 0.
void BlockWorker::finish_row(std::size_t head, std::size_t query, RowMask* mask,
                             std::span<float> row) const {
  std::fill(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(mask->begin), 0.0F);
  std::fill(row.begin() + static_cast<std::ptrdiff_t>(mask->end), row.end(), 0.0F);
  adjust_scores(head, query, *mask, row);
  if (mask->cells != nullptr) {
    for (std::size_t j = mask->begin; j < mask->end; ++j) {
      if (mask->cells[j] == 0) row[j] = kMasked;
    }
  }
  const std::size_t width = mask->end - mask->begin;
  const SoftmaxOutcome outcome = softmax_row(row.data() + mask->begin, width);
  if (outcome == SoftmaxOutcome::kNoFiniteScore) mask->n_allowed = 0;
  if (outcome == SoftmaxOutcome::kNonFinite && mask->cells != nullptr) {
    for (std::size_t j = mask->begin; j < mask->end; ++j) {
      if (mask->cells[j] == 0) row[j] = 0.0F;
    }
  }
}

// Softcap, ALiBi, bias and temperature, in this order; most rules have none of them.
void BlockWorker::adjust_scores(std::size_t head, std::size_t query, const RowMask& mask,
                                std::span<float> row) const {
  if (rule_.softcap) {
    const auto cap = static_cast<float>(*rule_.softcap);
    for (std::size_t j = mask.begin; j < mask.end; ++j) row[j] = cap * std::tanh(row[j] / cap);
  }
  if (!slopes_.empty()) {
    const auto slope = static_cast<float>(slopes_[head]);
    const auto position = static_cast<float>(query + problem_.shape.position_offset());
    for (std::size_t j = mask.begin; j < mask.end; ++j) {
      row[j] -= slope * std::fabs(position - static_cast<float>(j));
    }
  }
  if (const float* bias = bias_rows(head, query)) {
    for (std::size_t j = mask.begin; j < mask.end; ++j) row[j] += bias[j];
  }
  if (rule_.temperature != 1) {
    const auto inverse = static_cast<float>(1.0 / rule_.temperature);
    for (std::size_t j = mask.begin; j < mask.end; ++j) row[j] *= inverse;
  }
}

}  // namespace

std::size_t default_block_rows(const AttentionShape& shape) {
  // About half a megabyte of scores stays in a core's cache between the products; at least 32 rows
  // keep the products efficient where rows are long.
  constexpr std::size_t kBlockFloats = std::size_t{128} * 1024;
  constexpr std::size_t kFewest = 32;
  constexpr std::size_t kMost = 512;
  const std::size_t rows = kBlockFloats / std::max<std::size_t>(1, shape.n_key);
  return std::clamp(rows, kFewest, kMost);
}

void attend(const AttentionProblem& problem, RowSink& sink, MatrixView concat,
            const StreamOptions& options) {
  const std::size_t n_query = problem.shape.n_query;
  const std::size_t block_rows =
      options.block_rows > 0 ? options.block_rows : default_block_rows(problem.shape);
  const std::size_t n_blocks = ceil_div(n_query, block_rows);
  const bool uses_alibi = problem.rule->position == PositionKind::kAlibi;
  const std::vector<double> slopes =
      uses_alibi ? alibi_slopes(problem.layout.n_heads) : std::vector<double>();

  std::vector<BlockWorker> workers(effective_threads(options.n_threads),
                                   BlockWorker(problem, slopes));
  parallel_for(problem.layout.n_heads * n_blocks, options.n_threads,
               [&](std::size_t item, std::size_t worker) {
                 const std::size_t first = item % n_blocks * block_rows;
                 const std::size_t n_rows = std::min(block_rows, n_query - first);
                 workers[worker].run(item / n_blocks, first, n_rows, sink, concat);
               });
}

}  // namespace mha
