// Analyses fold over rows: the engine streams blocks of complete rows, and each accumulator keeps
// what it needs. Memory is that of the results, never queries x keys unless asked for.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "mha/attention/row_block.hpp"

namespace mha {

// A head that was selected, as the row source counts layers and heads. The mean over the heads of a
// layer is a head of its own.
struct HeadSlot {
  static constexpr std::size_t kMean = static_cast<std::size_t>(-1);
  std::size_t layer = 0;
  std::size_t head = 0;
  bool is_mean() const { return head == kMean; }
};

class Accumulator {
 public:
  virtual ~Accumulator() = default;
  // Takes rows of the head at this place of the selection. Called by several threads at once, for
  // different blocks, in any order; the result must not depend on the order.
  virtual void add(std::size_t slot, const RowBlock& block) = 0;
  // See RowSink::place_for.
  virtual std::optional<MatrixView> place_for(std::size_t slot, std::size_t first_query,
                                              std::size_t rows) {
    (void)slot, (void)first_query, (void)rows;
    return std::nullopt;
  }
  // How this accumulator can do with less than whole rows. When all that are attached can, and
  // agree, the engine may call add_pooled() instead of add().
  enum class Needs { kRows, kPooledColumns, kNothing };
  virtual Needs needs() const { return Needs::kRows; }
  virtual ColumnPool column_pool() const { return {}; }  // with kPooledColumns
  virtual void add_pooled(std::size_t slot, const PooledBlock& block) { (void)slot, (void)block; }
};

class MeanRows;

// Streams the selected heads of a source to accumulators.
class Analysis {
 public:
  // Accumulators see only rows of `queries`; block.first_query still counts from the first query.
  Analysis(const RowSource& source, std::vector<HeadSlot> slots, QueryRange queries = {});
  ~Analysis();

  void attach(Accumulator* accumulator) { accumulators_.push_back(accumulator); }
  const std::vector<HeadSlot>& slots() const { return slots_; }
  const LayerInfo& layer_of(std::size_t slot) const;
  const QueryRange& queries() const { return queries_; }
  // How many queries of this slot the accumulators see.
  std::size_t n_queries_of(std::size_t slot) const {
    return queries_.count_of(layer_of(slot).shape.n_query);
  }

  // One pass over the rows of all heads.
  void run(const StreamOptions& options);

 private:
  class Sink;
  void deliver(std::size_t slot, const RowBlock& block) const;
  std::optional<RowBlock> trimmed(const RowBlock& block) const;
  std::optional<ColumnPool> common_pool() const;

  const RowSource& source_;
  std::vector<HeadSlot> slots_;
  QueryRange queries_;
  std::vector<Accumulator*> accumulators_;
};

}  // namespace mha
