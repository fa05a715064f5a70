#include "mha/analysis/accumulator.hpp"

#include <algorithm>
#include <optional>

#include "mha/base/error.hpp"

#include "mean_rows.hpp"

namespace mha {

// Hands each block to the slots that show its head, and to the mean of its layer where asked.
class Analysis::Sink : public RowSink {
 public:
  explicit Sink(const Analysis& analysis) : analysis_(analysis) {
    const std::vector<LayerInfo>& layers = analysis.source_.layers();
    slot_of_.resize(layers.size());
    means_.resize(layers.size());
    for (std::size_t l = 0; l < layers.size(); ++l) slot_of_[l].resize(layers[l].n_heads);
    for (std::size_t s = 0; s < analysis.slots_.size(); ++s) {
      const HeadSlot& slot = analysis.slots_[s];
      if (slot.is_mean()) {
        means_[slot.layer] = std::make_unique<MeanRows>(layers[slot.layer]);
      } else {
        slot_of_[slot.layer][slot.head] = s;
      }
    }
  }

  void add(const RowBlock& block) override {
    if (const auto slot = slot_of_[block.layer][block.head]) {
      if (const auto rows = analysis_.trimmed(block)) analysis_.deliver(*slot, *rows);
    }
    if (means_[block.layer]) means_[block.layer]->add(block);
  }

  std::optional<MatrixView> place_for(std::size_t layer, std::size_t head, std::size_t first_query,
                                      std::size_t rows) override {
    const std::optional<std::size_t> slot = slot_of_[layer][head];
    // A block that is trimmed has no place of its own.
    const bool is_whole =
        first_query >= analysis_.queries_.first && first_query + rows <= analysis_.queries_.end;
    if (!slot || !is_whole) return std::nullopt;
    for (Accumulator* accumulator : analysis_.accumulators_) {
      if (auto place = accumulator->place_for(*slot, first_query, rows)) return place;
    }
    return std::nullopt;
  }

  std::optional<ColumnPool> column_pool() const override { return analysis_.common_pool(); }

  void add_pooled(const PooledBlock& block) override {
    const std::optional<std::size_t> slot = slot_of_[block.layer][block.head];
    if (!slot) return;
    for (Accumulator* accumulator : analysis_.accumulators_) accumulator->add_pooled(*slot, block);
  }

  void deliver_means() {
    for (std::size_t s = 0; s < analysis_.slots_.size(); ++s) {
      const HeadSlot& slot = analysis_.slots_[s];
      if (!slot.is_mean()) continue;
      means_[slot.layer]->stream(slot.layer,
                                 [&](const RowBlock& block) { analysis_.deliver(s, block); });
    }
  }

 private:
  const Analysis& analysis_;
  std::vector<std::vector<std::optional<std::size_t>>> slot_of_;  // [layer][head]
  std::vector<std::unique_ptr<MeanRows>> means_;                  // [layer]
};

Analysis::Analysis(const RowSource& source, std::vector<HeadSlot> slots, QueryRange queries)
    : source_(source), slots_(std::move(slots)), queries_(queries) {
  for (const HeadSlot& slot : slots_) {
    const bool exists = slot.layer < source.layers().size() &&
                        (slot.is_mean() || slot.head < source.layers()[slot.layer].n_heads);
    if (!exists) throw Error(ErrorKind::kInternal, "a selected head does not exist");
  }
}

Analysis::~Analysis() = default;

const LayerInfo& Analysis::layer_of(std::size_t slot) const {
  return source_.layers()[slots_[slot].layer];
}

void Analysis::run(const StreamOptions& options) {
  Sink sink(*this);
  StreamOptions with_range = options;
  with_range.queries = queries_;
  source_.stream(sink, with_range);
  sink.deliver_means();
}

// The rows of a block that lie within the range; nothing when none do.
std::optional<RowBlock> Analysis::trimmed(const RowBlock& block) const {
  const std::size_t first = std::max(block.first_query, queries_.first);
  const std::size_t end = std::min(block.first_query + block.weights.rows, queries_.end);
  if (first >= end) return std::nullopt;
  RowBlock out = block;
  out.first_query = first;
  out.weights = block.weights.row_range(first - block.first_query, end - first);
  out.masks = block.masks.subspan(first - block.first_query, end - first);
  return out;
}

// The pooling that serves everybody, or nothing when somebody needs whole rows.
std::optional<ColumnPool> Analysis::common_pool() const {
  for (const HeadSlot& slot : slots_) {
    if (slot.is_mean()) return std::nullopt;
  }
  // A source that computes every row anyway (for an output) would give rows outside the range.
  const bool is_whole = queries_.first == 0 && queries_.end == QueryRange{}.end;
  std::optional<ColumnPool> common;
  if (!is_whole) return common;
  for (const Accumulator* accumulator : accumulators_) {
    const Accumulator::Needs needs = accumulator->needs();
    if (needs == Accumulator::Needs::kNothing) continue;
    if (needs == Accumulator::Needs::kRows) return std::nullopt;
    if (common && *common != accumulator->column_pool()) return std::nullopt;
    common = accumulator->column_pool();
  }
  return common;
}

void Analysis::deliver(std::size_t slot, const RowBlock& block) const {
  for (Accumulator* accumulator : accumulators_) accumulator->add(slot, block);
}

}  // namespace mha
