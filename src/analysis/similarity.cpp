#include "mha/analysis/similarity.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <numbers>

#include "mha/attention/row_kernels.hpp"
#include "mha/base/checked.hpp"
#include "mha/base/exact_sum.hpp"
#include "mha/base/parallel.hpp"

#include "kept_rows.hpp"

namespace mha {
namespace {

// Pairs are taken tile by tile: the rows of one query of two times this many heads stay in cache
// while all their pairs are formed.
constexpr std::size_t kTileHeads = 8;
// Queries of one work item: enough to make the merging of its sums cheap.
constexpr std::size_t kStripQueries = 64;

bool same_shape(const AttentionShape& a, const AttentionShape& b) {
  return a.n_query == b.n_query && a.n_key == b.n_key && a.is_cross == b.is_cross;
}

// The heads [first_a, + kTileHeads) against the heads [first_b, + kTileHeads); first_a <= first_b.
struct Tile {
  std::size_t first_a = 0;
  std::size_t first_b = 0;
};

struct TileSums {
  std::array<ExactSum, kTileHeads * kTileHeads> js;
  std::array<std::uint64_t, kTileHeads * kTileHeads> rows{};
};

// Sums over rows for all pairs a < b.
class PairSums {
 public:
  explicit PairSums(const Analysis& selection);

  void add(const KeptRows& kept, std::size_t n_threads);
  HeadDistances means() const;

 private:
  std::size_t end_of(std::size_t first) const { return std::min(first + kTileHeads, n_); }
  TileSums sums_of(const KeptRows& kept, const Tile& tile, const QueryRange& strip) const;
  void add_query(const KeptRows& kept, const Tile& tile, std::size_t query, TileSums* sums) const;
  void merge(const Tile& tile, const TileSums& sums);
  void count_own_rows(const KeptRows& kept);

  const std::size_t n_;
  std::vector<std::size_t> shape_of_;  // [slot]: the first slot that has its shape
  std::vector<Tile> tiles_;
  std::mutex mutex_;
  std::vector<ExactSum> js_;         // (n, n), filled where a < b
  std::vector<std::uint64_t> rows_;  // (n, n), filled where a <= b
};

PairSums::PairSums(const Analysis& selection)
    : n_(selection.slots().size()), js_(checked_mul(n_, n_)), rows_(js_.size()) {
  for (std::size_t s = 0; s < n_; ++s) {
    std::size_t like = 0;
    while (!same_shape(selection.layer_of(like).shape, selection.layer_of(s).shape)) ++like;
    shape_of_.push_back(like);
  }
  for (std::size_t a = 0; a < n_; a += kTileHeads) {
    for (std::size_t b = a; b < n_; b += kTileHeads) tiles_.push_back({a, b});
  }
}

void PairSums::add(const KeptRows& kept, std::size_t n_threads) {
  const QueryRange& queries = kept.queries();
  const std::size_t n_strips = ceil_div(queries.end - queries.first, kStripQueries);
  parallel_for(n_strips * tiles_.size(), n_threads, [&](std::size_t item, std::size_t) {
    const Tile& tile = tiles_[item % tiles_.size()];
    const std::size_t first = queries.first + item / tiles_.size() * kStripQueries;
    const QueryRange strip{first, std::min(first + kStripQueries, queries.end)};
    merge(tile, sums_of(kept, tile, strip));
  });
  count_own_rows(kept);
}

TileSums PairSums::sums_of(const KeptRows& kept, const Tile& tile, const QueryRange& strip) const {
  TileSums sums;
  for (std::size_t q = strip.first; q < strip.end; ++q) add_query(kept, tile, q, &sums);
  return sums;
}

void PairSums::add_query(const KeptRows& kept, const Tile& tile, std::size_t query,
                         TileSums* sums) const {
  const auto mixture_entropy = row_kernels().mixture_entropy;
  for (std::size_t a = tile.first_a; a < end_of(tile.first_a); ++a) {
    const KeptRows::Row& p = kept.row(a, query);
    if (!p.counts) continue;
    for (std::size_t b = std::max(tile.first_b, a + 1); b < end_of(tile.first_b); ++b) {
      const KeptRows::Row& q = kept.row(b, query);
      if (!q.counts || shape_of_[a] != shape_of_[b]) continue;
      const std::size_t begin = std::min(p.begin, q.begin);
      const std::size_t end = std::max(p.end, q.end);
      const double mixed = mixture_entropy(kept.weights(a, query) + begin,
                                           kept.weights(b, query) + begin, end - begin);
      const std::size_t at = (a - tile.first_a) * kTileHeads + (b - tile.first_b);
      sums->js[at].add(mixed - (p.entropy + q.entropy) / 2);
      ++sums->rows[at];
    }
  }
}

void PairSums::merge(const Tile& tile, const TileSums& sums) {
  const std::lock_guard lock(mutex_);
  for (std::size_t a = tile.first_a; a < end_of(tile.first_a); ++a) {
    for (std::size_t b = std::max(tile.first_b, a + 1); b < end_of(tile.first_b); ++b) {
      const std::size_t from = (a - tile.first_a) * kTileHeads + (b - tile.first_b);
      js_[a * n_ + b].merge(sums.js[from]);
      rows_[a * n_ + b] += sums.rows[from];
    }
  }
}

void PairSums::count_own_rows(const KeptRows& kept) {
  for (std::size_t s = 0; s < n_; ++s) {
    for (std::size_t q = kept.queries().first; q < kept.queries().end; ++q) {
      rows_[s * n_ + s] += kept.row(s, q).counts ? 1 : 0;
    }
  }
}

HeadDistances PairSums::means() const {
  HeadDistances out{std::vector<double>(n_ * n_), std::vector<std::uint64_t>(n_ * n_), n_};
  for (std::size_t a = 0; a < n_; ++a) {
    for (std::size_t b = a; b < n_; ++b) {
      const std::uint64_t rows = rows_[a * n_ + b];
      // Entropies are rounded, so a mean may lie just outside of what is possible.
      const double mean = rows == 0
                              ? std::numeric_limits<double>::quiet_NaN()
                              : std::clamp(js_[a * n_ + b].value() / static_cast<double>(rows), 0.0,
                                           std::numbers::ln2);
      out.js[a * n_ + b] = out.js[b * n_ + a] = mean;
      out.rows[a * n_ + b] = out.rows[b * n_ + a] = rows;
    }
  }
  return out;
}

// The selected queries of the longest layer.
QueryRange queries_of(const Analysis& selection) {
  QueryRange out{selection.queries().first, selection.queries().first};
  for (std::size_t s = 0; s < selection.slots().size(); ++s) {
    out.end = std::max(out.end, selection.queries().end_of(selection.layer_of(s).shape.n_query));
  }
  return out;
}

// How many queries are held at a time. Whole blocks of the engine where there is room for them: the
// rows are then those of a single pass.
std::size_t chunk_size(const Analysis& selection, std::size_t n_queries, std::size_t max_bytes) {
  std::size_t block = 1;
  for (std::size_t s = 0; s < selection.slots().size(); ++s) {
    block = std::max(block, default_block_rows(selection.layer_of(s).shape));
  }
  const std::size_t fitting = max_bytes / KeptRows::bytes_per_query(selection);
  if (fitting >= n_queries) return n_queries;
  return fitting > block ? fitting / block * block : std::max<std::size_t>(1, fitting);
}

// JS of two rows that count.
double row_distance(const KeptRows& a, const KeptRows& b, std::size_t slot, std::size_t query) {
  const KeptRows::Row& p = a.row(slot, query);
  const KeptRows::Row& q = b.row(slot, query);
  const std::size_t begin = std::min(p.begin, q.begin);
  const std::size_t end = std::max(p.end, q.end);
  const double mixed = row_kernels().mixture_entropy(a.weights(slot, query) + begin,
                                                     b.weights(slot, query) + begin, end - begin);
  return mixed - (p.entropy + q.entropy) / 2;
}

void keep_rows(const RowSource& source, const std::vector<HeadSlot>& slots, QueryRange range,
               std::size_t n_threads, KeptRows* kept) {
  kept->start(range);
  Analysis analysis(source, slots, range);
  analysis.attach(kept);
  StreamOptions stream;
  stream.n_threads = n_threads;
  analysis.run(stream);
}

}  // namespace

HeadDistances head_distances(const RowSource& source, const std::vector<HeadSlot>& slots,
                             const SimilarityOptions& options) {
  const Analysis selection(source, slots, options.queries);
  PairSums sums(selection);
  const QueryRange queries = queries_of(selection);
  if (queries.first >= queries.end) return sums.means();
  const std::size_t n_queries = queries.end - queries.first;
  const std::size_t chunk = chunk_size(selection, n_queries, options.max_bytes);
  KeptRows kept(selection, chunk);
  for (std::size_t first = queries.first; first < queries.end; first += chunk) {
    keep_rows(source, slots, {first, std::min(first + chunk, queries.end)}, options.n_threads,
              &kept);
    sums.add(kept, options.n_threads);
  }
  return sums.means();
}

std::vector<PairDistance> matched_distances(const RowSource& a,
                                            const std::vector<HeadSlot>& slots_a,
                                            const RowSource& b,
                                            const std::vector<HeadSlot>& slots_b,
                                            const SimilarityOptions& options) {
  const Analysis selection_a(a, slots_a, options.queries);
  const Analysis selection_b(b, slots_b, options.queries);
  const QueryRange queries = queries_of(selection_a);
  const std::size_t n_queries = queries.end - queries.first;
  const std::size_t chunk =
      std::max<std::size_t>(1, std::min(chunk_size(selection_a, n_queries, options.max_bytes / 2),
                                        chunk_size(selection_b, n_queries, options.max_bytes / 2)));
  std::vector<ExactSum> sums(slots_a.size());
  std::vector<PairDistance> out(slots_a.size());
  KeptRows kept_a(selection_a, chunk);
  KeptRows kept_b(selection_b, chunk);
  for (std::size_t first = queries.first; first < queries.end; first += chunk) {
    const QueryRange range{first, std::min(first + chunk, queries.end)};
    keep_rows(a, slots_a, range, options.n_threads, &kept_a);
    keep_rows(b, slots_b, range, options.n_threads, &kept_b);
    parallel_for(slots_a.size(), options.n_threads, [&](std::size_t s, std::size_t) {
      if (!same_shape(selection_a.layer_of(s).shape, selection_b.layer_of(s).shape)) return;
      for (std::size_t q = range.first; q < range.end; ++q) {
        if (!kept_a.row(s, q).counts || !kept_b.row(s, q).counts) continue;
        sums[s].add(row_distance(kept_a, kept_b, s, q));
        ++out[s].rows;
      }
    });
  }
  for (std::size_t s = 0; s < out.size(); ++s) {
    out[s].js = out[s].rows == 0 ? std::numeric_limits<double>::quiet_NaN()
                                 : std::clamp(sums[s].value() / static_cast<double>(out[s].rows),
                                              0.0, std::numbers::ln2);
  }
  return out;
}

}  // namespace mha
