#include "mha/attention/precomputed.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mha/attention/row_kernels.hpp"
#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

using RowKind = PrecomputedAttention::RowKind;

constexpr double kTinyNegative = -1e-6;

// Rows that are read together: they should stay in the cache, and be worth a call to the system.
std::size_t stretch_rows(std::size_t n_key) {
  constexpr std::size_t kFloats = std::size_t{1} << 16;
  return std::max<std::size_t>(1, kFloats / std::max<std::size_t>(1, n_key));
}

// A place in the weights together with how bad it is.
struct Worst {
  double size = 0;
  std::size_t head = 0;
  std::size_t query = 0;

  void take_larger(const Worst& other) {
    if (other.size > size) *this = other;
  }
};

// What is odd about the rows of one head.
struct HeadFindings {
  Worst sum;  // largest |sum - 1|
  double worst_total = 1;
  Worst forbidden;                        // largest weight on a key that the declared mask forbids
  std::optional<std::size_t> impossible;  // first query with a weight that no softmax gives
  std::size_t n_negative = 0;
  std::size_t n_non_finite = 0;
};

// Checks the rows of one layer, heads side by side, and notes what each row is.
class LayerChecker {
 public:
  LayerChecker(std::size_t index, PrecomputedLayer* layer, std::vector<RowKind>* kinds)
      : index_(index), layer_(*layer), kinds_(*kinds) {}

  void check(std::vector<std::string>* notes);

 private:
  void check_head(std::size_t head, FloatVector* buffer, HeadFindings* findings);
  void check_row(const Worst& place, std::span<const float> weights, const RowMask* mask,
                 HeadFindings* findings);
  void join(const std::vector<HeadFindings>& heads);
  [[noreturn]] void fail_value(std::size_t head, std::size_t query) const;
  void clamp_negatives();
  void report(std::vector<std::string>* notes) const;
  std::span<const float> row(std::size_t head, std::size_t query) const {
    const std::size_t n_key = layer_.shape.n_key;
    return {layer_.weights.data() + (head * layer_.shape.n_query + query) * n_key, n_key};
  }
  std::string row_name(const Worst& worst) const {
    return concat("L", index_, "H", worst.head, " query ", worst.query);
  }

  const std::size_t index_;
  PrecomputedLayer& layer_;
  std::vector<RowKind>& kinds_;
  HeadFindings all_;
};

void LayerChecker::check(std::vector<std::string>* notes) {
  check_mask(layer_.mask, layer_.shape);
  kinds_.assign(layer_.n_heads * layer_.shape.n_query, RowKind::kPlain);
  std::vector<HeadFindings> heads(layer_.n_heads);
  std::vector<FloatVector> buffers(effective_threads(0));
  parallel_for(layer_.n_heads, 0, [&](std::size_t head, std::size_t worker) {
    check_head(head, &buffers[worker], &heads[head]);
  });
  join(heads);
  if (all_.n_negative > 0) clamp_negatives();
  report(notes);
  if (all_.forbidden.size > 0) layer_.mask = {};
}

void LayerChecker::check_head(std::size_t head, FloatVector* buffer, HeadFindings* findings) {
  const auto [n_query, n_key, is_cross] = layer_.shape;
  RowMasker masker(layer_.mask, layer_.shape);
  const bool has_mask = !layer_.mask.empty();
  const std::size_t block_rows = stretch_rows(n_key);
  for (std::size_t first = 0; first < n_query; first += block_rows) {
    const std::size_t n_rows = std::min(block_rows, n_query - first);
    const std::span<const float> block =
        layer_.weights.stretch((head * n_query + first) * n_key, n_rows * n_key, buffer);
    for (std::size_t r = 0; r < n_rows && !findings->impossible; ++r) {
      const RowMask* mask = has_mask ? &masker.rows(first + r, 1, {}).front() : nullptr;
      check_row({0, head, first + r}, block.subspan(r * n_key, n_key), mask, findings);
    }
  }
}

// The largest weight on a key that the mask does not allow.
double largest_forbidden(const RowMask& mask, std::span<const float> row) {
  if (mask.cells == nullptr) {
    const auto largest = [](std::span<const float> part) {
      return row_kernels().weight_range(part.data(), part.size()).largest;
    };
    const float before = largest(row.first(mask.begin));
    return static_cast<double>(std::max(before, largest(row.subspan(mask.end))));
  }
  float largest = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] > largest && !mask.allows(j)) largest = row[j];
  }
  return static_cast<double>(largest);
}

void LayerChecker::check_row(const Worst& place, std::span<const float> weights,
                             const RowMask* mask, HeadFindings* findings) {
  constexpr double kTolerance = PrecomputedAttention::kRowSumTolerance;
  const WeightRange range = row_kernels().weight_range(weights.data(), weights.size());
  RowKind& kind = kinds_[place.head * layer_.shape.n_query + place.query];
  if (!std::isfinite(range.total)) {
    kind = RowKind::kNonFinite;
    for (float w : weights) findings->n_non_finite += std::isfinite(w) ? 0 : 1;
    return;
  }
  if (static_cast<double>(range.smallest) < kTinyNegative ||
      static_cast<double>(range.largest) > 1 + kTolerance) {
    findings->impossible = place.query;
    return;
  }
  if (range.smallest < 0) {
    for (float w : weights) findings->n_negative += w < 0 ? 1 : 0;
  }
  if (range.largest == 0) {
    kind = RowKind::kZero;
    return;
  }
  if (mask != nullptr) {
    findings->forbidden.take_larger({largest_forbidden(*mask, weights), place.head, place.query});
  }
  const double error = std::fabs(range.total - 1);
  if (error > findings->sum.size) {
    findings->sum = {error, place.head, place.query};
    findings->worst_total = range.total;
  }
}

void LayerChecker::join(const std::vector<HeadFindings>& heads) {
  for (std::size_t h = 0; h < heads.size(); ++h) {
    const HeadFindings& head = heads[h];
    if (head.impossible) fail_value(h, *head.impossible);
    if (head.sum.size > all_.sum.size) all_.worst_total = head.worst_total;
    all_.sum.take_larger(head.sum);
    all_.forbidden.take_larger(head.forbidden);
    all_.n_negative += head.n_negative;
    all_.n_non_finite += head.n_non_finite;
  }
}

void LayerChecker::fail_value(std::size_t head, std::size_t query) const {
  constexpr double kTolerance = PrecomputedAttention::kRowSumTolerance;
  const auto is_wrong = [](float w) {
    const auto weight = static_cast<double>(w);
    return weight < kTinyNegative || weight > 1 + kTolerance;
  };
  const std::span<const float> weights = row(head, query);
  const auto wrong = std::ranges::find_if(weights, is_wrong);
  fail_input(concat(row_name({0, head, query}), " key ", wrong - weights.begin(), " holds ", *wrong,
                    "; expected a weight from 0 to 1"),
             "attention_weights are meant after softmax; are these scores?");
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
  if (all_.sum.size > std::max(rounding, kTolerance)) {
    fail_input(concat(row_name(all_.sum), " sums to ", all_.worst_total, "; expected 1 within ",
                      std::max(rounding, kTolerance)),
               "attention_weights are rows after softmax; check the axis order");
  }
  if (all_.sum.size > kTolerance) {
    notes->push_back(concat("layer ", index_, ": rows sum to 1 only within ", all_.sum.size,
                            ", as weights rounded to four decimals do"));
  }
  if (all_.n_negative > 0) {
    notes->push_back(concat("layer ", index_, ": ", all_.n_negative,
                            " weights just below zero were taken as zero"));
  }
  if (all_.n_non_finite > 0) {
    notes->push_back(concat("layer ", index_, ": ", non_finite_text(all_.n_non_finite)));
  }
  if (all_.forbidden.size > 0) {
    notes->push_back(concat("layer ", index_, ": ", row_name(all_.forbidden), " has a weight of ",
                            all_.forbidden.size,
                            " where the declared mask allows none; the mask is ignored"));
  }
}

}  // namespace

std::string non_finite_text(std::uint64_t n_weights) {
  return count_text(n_weights, "weight") +
         (n_weights == 1 ? " is not a finite number; it is drawn in its own colour"
                         : " are not finite numbers; they are drawn in their own colour");
}

PrecomputedAttention::PrecomputedAttention(std::vector<PrecomputedLayer> layers)
    : data_(std::move(layers)) {
  for (std::size_t l = 0; l < data_.size(); ++l) {
    PrecomputedLayer& layer = data_[l];
    const std::size_t cells = checked_mul(layer.shape.n_query, layer.shape.n_key);
    if (layer.weights.size() != checked_mul(layer.n_heads, cells)) {
      fail_input(concat("layer ", l, ": attention_weights have the wrong size; expected ",
                        layer.n_heads, "x", layer.shape.n_query, "x", layer.shape.n_key));
    }
    LayerChecker(l, &layer, &kinds_.emplace_back()).check(&notes_);
    infos_.push_back({layer.n_heads, layer.shape, &layer.mask});
  }
}

void PrecomputedAttention::stream(RowSink& sink, const StreamOptions& options) const {
  if (options.outputs != nullptr) options.outputs->clear();
  std::vector<FloatVector> buffers(effective_threads(options.n_threads));
  for (std::size_t l = 0; l < data_.size(); ++l) {
    if (!options.layers.contains(l)) continue;
    const PrecomputedLayer& layer = data_[l];
    const std::size_t n_query = layer.shape.n_query;
    const std::size_t n_key = layer.shape.n_key;
    const std::size_t block_rows =
        options.block_rows > 0 ? options.block_rows : stretch_rows(n_key);
    const std::size_t n_blocks = ceil_div(n_query, block_rows);
    const auto stream_block = [&](std::size_t item, std::size_t worker) {
      const std::size_t head = item / n_blocks;
      const std::size_t first = item % n_blocks * block_rows;
      const std::size_t n_rows = std::min(block_rows, n_query - first);
      const std::size_t offset = (head * n_query + first) * n_key;
      const std::uint8_t* missing = layer.missing.empty() ? nullptr : &layer.missing[offset];
      RowMasker masker(layer.mask, layer.shape);
      std::vector<RowMask> masks = masker.rows(first, n_rows, {nullptr, missing});
      const std::span<const float> weights =
          layer.weights.stretch(offset, n_rows * n_key, &buffers[worker]);
      const ConstMatrix rows{weights.data(), n_rows, n_key, n_key};
      for (std::size_t r = 0; r < n_rows; ++r) {
        const RowKind kind = kinds_[l][head * n_query + first + r];
        if (kind == RowKind::kZero) masks[r].n_allowed = 0;
        masks[r].has_non_finite = kind == RowKind::kNonFinite;
      }
      sink.add({l, head, first, rows, masks, &layer.shape});
    };
    parallel_for(layer.n_heads * n_blocks, options.n_threads, stream_block);
  }
}

}  // namespace mha
