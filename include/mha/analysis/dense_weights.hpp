// All weights of the selected heads, for outputs that are queries x keys by nature.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "mha/analysis/accumulator.hpp"
#include "mha/tensor/matrix.hpp"

namespace mha {

// A matrix (n_query, n_key) for each head of the selection. Cells that do not exist are NaN.
class DenseWeights : public Accumulator {
 public:
  explicit DenseWeights(const Analysis& analysis);

  // The engine writes rows straight into place.
  std::optional<MatrixView> place_for(std::size_t slot, std::size_t first_query,
                                      std::size_t rows) override;
  // Copies rows that were computed elsewhere.
  void add(std::size_t slot, const RowBlock& block) override;

  // `call` gets a slot as soon as all of its rows are there, from the thread that brought the last
  // of them: what follows may start while other layers are computed.
  void when_complete(std::function<void(std::size_t slot)> call) { complete_ = std::move(call); }

  // Weights of a head, queries x keys.
  std::size_t size(std::size_t slot) const { return heads_[slot].n_query * heads_[slot].n_key; }
  // A complete head that was not released.
  ConstMatrix head(std::size_t slot) const;
  // Gives up the weights of a complete head: heads of later layers use their memory again, which
  // spares the system clearing new pages for each of them. Those of the same layer do not: the
  // engine and other accumulators may still read what was released (see RowSink::place_for).
  void release(std::size_t slot);

 private:
  MatrixView rows_of(std::size_t slot, std::size_t first_query, std::size_t rows);

  struct Head {
    std::size_t layer = 0;
    std::size_t n_query = 0;
    std::size_t n_key = 0;
    FloatVector weights;  // from its first rows on
  };
  struct Spare {
    std::size_t layer = 0;  // whose weights they were
    FloatVector memory;
  };
  std::size_t first_query_ = 0;
  std::mutex mutex_;  // of the weights of a head that has none yet, and of the spare ones
  std::vector<Head> heads_;
  std::vector<Spare> spare_;
  std::vector<std::atomic<std::size_t>> n_missing_;  // rows, one a slot
  std::function<void(std::size_t slot)> complete_;
};

}  // namespace mha
