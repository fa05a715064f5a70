// Norm-based attention: a weight on a token whose transformed value is short moves little.
#pragma once

#include <cstddef>
#include <vector>

#include "mha/analysis/accumulator.hpp"
#include "mha/attention/layer_observer.hpp"

namespace mha {

// ||f_h(x_j)||, f_h(x_j) = (x_j W_V^h + b_V^h) W_O^h (Kobayashi et al. 2020), of each layer that
// was streamed with this observer; without W_O the norm of the value itself. Each layer's norms are
// there before its rows are. Computed over tiles of keys: no f_h is held as a whole.
class ValueNorms : public LayerObserver {
 public:
  explicit ValueNorms(std::size_t n_threads = 0) : n_threads_(n_threads) {}

  void before_rows(const LayerValues& values) override;

  // (head, key); throws Error(kInput) when the source did not know V.
  ConstMatrix layer(std::size_t layer) const;

 private:
  std::size_t n_threads_;
  std::vector<Matrix> layers_;
};

// Passes rows on with each weight multiplied by the norm of its key: A[i,j] ||f_h(x_j)||. Such rows
// do not sum to 1, and masked cells stay 0. The norms must be an observer of the same run.
class ScaledRows : public Accumulator {
 public:
  // Throws Error(kUsage) when a mean over heads is selected: the norms belong to single heads.
  ScaledRows(const Analysis& analysis, const ValueNorms& norms, Accumulator* next);

  // Throws Error(kInput) when `next` adds up pools of so large values that they leave its range.
  void add(std::size_t slot, const RowBlock& block) override;

 private:
  void check_range(const RowBlock& block, std::span<const float> norms) const;

  const ValueNorms& norms_;
  Accumulator* next_;
};

}  // namespace mha
