#include "mha/attention/precomputed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mha/attention/row_kernels.hpp"
#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

constexpr double kTinyNegative = -1e-6;

// A place in the weights together with how bad it is.
struct Worst {
  double size = 0;
  std::size_t head = 0;
  std::size_t query = 0;
};

// Walks over the rows of one layer and collects what is odd about them.
class LayerChecker {
 public:
  LayerChecker(std::size_t index, PrecomputedLayer* layer) : index_(index), layer_(*layer) {}

  void check(std::vector<std::string>* notes);

 private:
  void check_row(std::size_t head, std::size_t query, const RowMask& mask,
                 std::span<const float> row);
  [[noreturn]] void fail_value(std::size_t head, std::size_t query,
                               std::span<const float> row) const;
  void check_forbidden(std::size_t head, std::size_t query, const RowMask& mask,
                       std::span<const float> row);
  void clamp_negatives();
  void report(std::vector<std::string>* notes) const;
  std::string row_name(const Worst& worst) const {
    return concat("L", index_, "H", worst.head, " query ", worst.query);
  }

  const std::size_t index_;
  PrecomputedLayer& layer_;
  Worst worst_sum_;  // largest |sum - 1|
  double worst_total_ = 1;
  Worst worst_forbidden_;  // largest weight on a key that the declared mask forbids
  std::size_t n_negative_ = 0;
  std::size_t n_non_finite_ = 0;
};

void LayerChecker::check(std::vector<std::string>* notes) {
  check_mask(layer_.mask, layer_.shape);
  RowMasker masker(layer_.mask, layer_.shape);
  const std::size_t n_key = layer_.shape.n_key;
  for (std::size_t q = 0; q < layer_.shape.n_query; ++q) {
    const RowMask& mask = masker.rows(q, 1, {}).front();
    for (std::size_t h = 0; h < layer_.n_heads; ++h) {
      const float* row = layer_.weights.data() + (h * layer_.shape.n_query + q) * n_key;
      check_row(h, q, mask, {row, n_key});
    }
  }
  if (n_negative_ > 0) clamp_negatives();
  report(notes);
  if (worst_forbidden_.size > 0) layer_.mask = {};
}

void LayerChecker::check_row(std::size_t head, std::size_t query, const RowMask& mask,
                             std::span<const float> row) {
  constexpr double kTolerance = PrecomputedAttention::kRowSumTolerance;
  const WeightSums sums = row_kernels().weight_sums(row.data(), row.size(), 0);
  if (!std::isfinite(sums.total)) {
    for (float w : row) n_non_finite_ += std::isfinite(w) ? 0 : 1;
    return;
  }
  if (sums.smallest < 0) {
    if (static_cast<double>(sums.smallest) < kTinyNegative) fail_value(head, query, row);
    for (float w : row) n_negative_ += w < 0 ? 1 : 0;
  }
  if (static_cast<double>(sums.largest) > 1 + kTolerance) fail_value(head, query, row);
  if (!layer_.mask.empty()) check_forbidden(head, query, mask, row);
  if (sums.total == 0) return;
  const double error = std::fabs(sums.total - 1);
  if (error > worst_sum_.size) {
    worst_sum_ = {error, head, query};
    worst_total_ = sums.total;
  }
}

void LayerChecker::fail_value(std::size_t head, std::size_t query,
                              std::span<const float> row) const {
  constexpr double kTolerance = PrecomputedAttention::kRowSumTolerance;
  const auto is_wrong = [](float w) {
    const auto weight = static_cast<double>(w);
    return weight < kTinyNegative || weight > 1 + kTolerance;
  };
  const auto wrong = std::ranges::find_if(row, is_wrong);
  fail_input(concat(row_name({0, head, query}), " key ", wrong - row.begin(), " holds ", *wrong,
                    "; expected a weight from 0 to 1"),
             "attention_weights are meant after softmax; are these scores?");
}

void LayerChecker::check_forbidden(std::size_t head, std::size_t query, const RowMask& mask,
                                   std::span<const float> row) {
  for (std::size_t j = 0; j < row.size(); ++j) {
    const auto weight = static_cast<double>(row[j]);
    if (weight > worst_forbidden_.size && !mask.allows(j)) worst_forbidden_ = {weight, head, query};
  }
}

// Weights that are just below zero by rounding become zero, in a copy of our own.
void LayerChecker::clamp_negatives() {
  const std::span<const float> from = layer_.weights.span();
  FloatVector data(from.begin(), from.end());
  for (float& w : data) w = w < 0 ? 0 : w;
  layer_.weights = FloatStorage(std::move(data));
}

void LayerChecker::report(std::vector<std::string>* notes) const {
  // Each of n weights rounded to four decimals is off by at most 0.00005.
  const double rounding = 0.5e-4 * static_cast<double>(layer_.shape.n_key);
  constexpr double kTolerance = PrecomputedAttention::kRowSumTolerance;
  if (worst_sum_.size > std::max(rounding, kTolerance)) {
    fail_input(concat(row_name(worst_sum_), " sums to ", worst_total_, "; expected 1 within ",
                      std::max(rounding, kTolerance)),
               "attention_weights are rows after softmax; check the axis order");
  }
  if (worst_sum_.size > kTolerance) {
    notes->push_back(concat("layer ", index_, ": rows sum to 1 only within ", worst_sum_.size,
                            ", as weights rounded to four decimals do"));
  }
  if (n_negative_ > 0) {
    notes->push_back(
        concat("layer ", index_, ": ", n_negative_, " weights just below zero were taken as zero"));
  }
  if (n_non_finite_ > 0) {
    notes->push_back(concat("layer ", index_, ": ", n_non_finite_,
                            " weights are not finite numbers; they are drawn in their own colour"));
  }
  if (worst_forbidden_.size > 0) {
    notes->push_back(concat("layer ", index_, ": ", row_name(worst_forbidden_), " has a weight of ",
                            worst_forbidden_.size,
                            " where the declared mask allows none; the mask is ignored"));
  }
}

}  // namespace

PrecomputedAttention::PrecomputedAttention(std::vector<PrecomputedLayer> layers)
    : data_(std::move(layers)) {
  for (std::size_t l = 0; l < data_.size(); ++l) {
    PrecomputedLayer& layer = data_[l];
    const std::size_t cells = checked_mul(layer.shape.n_query, layer.shape.n_key);
    if (layer.weights.size() != checked_mul(layer.n_heads, cells)) {
      fail_input(concat("layer ", l, ": attention_weights have the wrong size; expected ",
                        layer.n_heads, "x", layer.shape.n_query, "x", layer.shape.n_key));
    }
    LayerChecker(l, &layer).check(&notes_);
    infos_.push_back({layer.n_heads, layer.shape, &layer.mask});
  }
}

void PrecomputedAttention::stream(RowSink& sink, const StreamOptions& options) const {
  if (options.outputs != nullptr) options.outputs->clear();
  for (std::size_t l = 0; l < data_.size(); ++l) {
    const PrecomputedLayer& layer = data_[l];
    const std::size_t n_query = layer.shape.n_query;
    const std::size_t n_key = layer.shape.n_key;
    const std::size_t block_rows =
        options.block_rows > 0 ? options.block_rows : default_block_rows(layer.shape);
    const std::size_t n_blocks = ceil_div(n_query, block_rows);
    parallel_for(layer.n_heads * n_blocks, options.n_threads, [&](std::size_t item, std::size_t) {
      const std::size_t head = item / n_blocks;
      const std::size_t first = item % n_blocks * block_rows;
      const std::size_t n_rows = std::min(block_rows, n_query - first);
      const std::size_t offset = (head * n_query + first) * n_key;
      const std::uint8_t* missing = layer.missing.empty() ? nullptr : &layer.missing[offset];
      RowMasker masker(layer.mask, layer.shape);
      std::vector<RowMask> masks = masker.rows(first, n_rows, {nullptr, missing});
      const ConstMatrix rows{layer.weights.data() + offset, n_rows, n_key, n_key};
      for (std::size_t r = 0; r < n_rows; ++r) {
        const auto row = rows.row(r);
        const bool is_zero = std::ranges::all_of(row, [](float w) { return w == 0.0F; });
        if (is_zero) masks[r].n_allowed = 0;
        masks[r].has_non_finite = !std::isfinite(std::accumulate(row.begin(), row.end(), 0.0F));
      }
      sink.add({l, head, first, rows, masks, &layer.shape});
    });
  }
}

}  // namespace mha
