// All weights of the selected heads, for outputs that are queries x keys by nature.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "mha/analysis/accumulator.hpp"
#include "mha/tensor/matrix.hpp"

namespace mha {

// Heads one after another in the order of the selection, each (n_query, n_key). Cells that do not
// exist are NaN.
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

  ConstMatrix head(std::size_t slot) const;
  std::span<const float> all() const { return data_; }

 private:
  MatrixView rows_of(std::size_t slot, std::size_t first_query, std::size_t rows);

  struct Place {
    std::size_t offset = 0;
    std::size_t n_query = 0;
    std::size_t n_key = 0;
  };
  std::size_t first_query_ = 0;
  std::vector<Place> places_;
  std::vector<std::atomic<std::size_t>> n_missing_;  // rows, one a slot
  std::function<void(std::size_t slot)> complete_;
  FloatVector data_;
};

}  // namespace mha
