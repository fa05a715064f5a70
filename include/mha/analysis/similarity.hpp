// How much heads attend alike: Jensen-Shannon distances between all pairs of selected heads.
#pragma once

#include <cstdint>

#include "mha/analysis/accumulator.hpp"

namespace mha {

// The mean over rows of JS(A_a[i], A_b[i]) = H((p + q) / 2) - (H(p) + H(q)) / 2, in nats.
// Symmetric.
struct HeadDistances {
  // (n, n), within [0, ln 2] and 0 on the diagonal; NaN where the two heads (or, on the diagonal,
  // the head) have no row that counts.
  std::vector<double> js;
  std::vector<std::uint64_t> rows;  // (n, n): how many rows the mean was taken over
  std::size_t n = 0;

  double operator()(std::size_t a, std::size_t b) const { return js[a * n + b]; }
};

struct SimilarityOptions {
  QueryRange queries;         // only these rows count
  std::size_t n_threads = 0;  // 0 = all cores; never changes a result
  // For the rows held at a time; at least one row of each head is held whatever this says. The mean
  // over a layer takes (n_query, n_key) 8-byte sums on top.
  std::size_t max_bytes = std::size_t{256} << 20;
};

// A row counts for a pair of heads when in neither it is fully masked, padding or not finite, and
// their layers have the same shape. Each slot is given once. Streams the source once for each chunk
// of queries that max_bytes allows. Another max_bytes gives the same bits where the source gives
// the same rows, as known weights do; computed rows differ as those of other block sizes do.
HeadDistances head_distances(const RowSource& source, const std::vector<HeadSlot>& slots,
                             const SimilarityOptions& options);

// The distance of a head of one source to a head of another, for each pair of slots.
struct PairDistance {
  double js = 0;  // nats; NaN where the two have no row in common
  std::uint64_t rows = 0;
};

// The same distances between slots_a[i] of `a` and slots_b[i] of `b`, which must be as many.
std::vector<PairDistance> matched_distances(const RowSource& a,
                                            const std::vector<HeadSlot>& slots_a,
                                            const RowSource& b,
                                            const std::vector<HeadSlot>& slots_b,
                                            const SimilarityOptions& options);

}  // namespace mha
