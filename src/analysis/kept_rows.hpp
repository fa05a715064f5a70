// The rows of all selected heads for a range of queries, held together.
#pragma once

#include "mha/analysis/accumulator.hpp"

namespace mha {

class KeptRows : public Accumulator {
 public:
  struct Row {
    std::size_t begin = 0;  // weights outside [begin, end) are 0
    std::size_t end = 0;
    double entropy = 0;   // nats
    bool counts = false;  // neither fully masked nor padding nor non-finite
  };

  // Has room for n_queries queries of every slot of the selection.
  KeptRows(const Analysis& selection, std::size_t n_queries);
  // Bytes that one query of all slots takes.
  static std::size_t bytes_per_query(const Analysis& selection);

  // Forgets everything; from now on takes these queries, no more than there is room for.
  void start(QueryRange queries);

  std::optional<MatrixView> place_for(std::size_t slot, std::size_t first_query,
                                      std::size_t rows) override;
  void add(std::size_t slot, const RowBlock& block) override;

  const QueryRange& queries() const { return queries_; }
  const Row& row(std::size_t slot, std::size_t query) const {
    return rows_[slot * n_queries_ + (query - queries_.first)];
  }
  const float* weights(std::size_t slot, std::size_t query) const {
    return data_.data() + offset_of(slot, query);
  }

 private:
  std::size_t offset_of(std::size_t slot, std::size_t query) const {
    return offsets_[slot] + (query - queries_.first) * n_keys_[slot];
  }

  const std::size_t n_queries_;
  std::vector<std::size_t> n_keys_;   // [slot]
  std::vector<std::size_t> offsets_;  // [slot]: its (n_queries_, n_key) rows in data_
  FloatVector data_;
  std::vector<Row> rows_;  // [slot * n_queries_ + query]
  QueryRange queries_;
};

}  // namespace mha
