#include "mha/analysis/clustering.hpp"

#include <algorithm>
#include <numeric>

#include "distance_matrix.hpp"

namespace mha {
namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

// Nearest-neighbour chain (Benzecri 1982; Murtagh 1983): from any cluster walk to its nearest
// neighbour until two are each other's nearest, and merge these. Average linkage never brings a
// merged cluster closer than its parts were, so the rest of the chain stays valid and the merges
// are those of the greedy algorithm in another order. A cluster goes by the index of one of its
// leaves.
class NeighbourChain {
 public:
  NeighbourChain(std::size_t n, std::span<const double> distances)
      : n_(n), distances_(complete_distances(n, distances)), sizes_(n, 1) {}

  std::vector<Merge> run();

 private:
  double& distance(std::size_t a, std::size_t b) { return distances_[a * n_ + b]; }
  std::size_t nearest(std::size_t a, std::size_t preferred);
  void join(std::size_t a, std::size_t b);

  const std::size_t n_;
  std::vector<double> distances_;
  std::vector<std::size_t> sizes_;  // 0: merged into another
};

std::vector<Merge> NeighbourChain::run() {
  std::vector<Merge> merges;
  std::vector<std::size_t> chain;
  std::size_t start = 0;
  while (merges.size() + 1 < n_) {
    if (chain.empty()) {
      while (sizes_[start] == 0) ++start;
      chain.push_back(start);
    }
    const std::size_t a = chain.back();
    const std::size_t before = chain.size() > 1 ? chain[chain.size() - 2] : kNobody;
    const std::size_t b = nearest(a, before);
    if (b != before) {
      chain.push_back(b);
      continue;
    }
    chain.resize(chain.size() - 2);
    merges.push_back({a, b, distance(a, b), 0});
    join(std::min(a, b), std::max(a, b));
  }
  return merges;
}

// On ties the preferred cluster, which ends the chain, then the one with the lowest index.
std::size_t NeighbourChain::nearest(std::size_t a, std::size_t preferred) {
  std::size_t best = preferred;
  for (std::size_t b = 0; b < n_; ++b) {
    if (b == a || sizes_[b] == 0) continue;
    if (best == kNobody || distance(a, b) < distance(a, best)) best = b;
  }
  return best;
}

void NeighbourChain::join(std::size_t a, std::size_t b) {
  const auto size_a = static_cast<double>(sizes_[a]);
  const auto size_b = static_cast<double>(sizes_[b]);
  sizes_[a] += sizes_[b];
  sizes_[b] = 0;
  for (std::size_t c = 0; c < n_; ++c) {
    if (c == a || sizes_[c] == 0) continue;
    const auto [low, high] = std::minmax({distance(a, c), distance(b, c)});
    const double mean = (size_a * distance(a, c) + size_b * distance(b, c)) / (size_a + size_b);
    // Rounding must not bring it closer than its parts.
    distance(a, c) = distance(c, a) = std::clamp(mean, low, high);
  }
}

std::size_t find_root(std::vector<std::size_t>* parents, std::size_t leaf) {
  std::vector<std::size_t>& parent = *parents;
  while (parent[leaf] != leaf) leaf = parent[leaf] = parent[parent[leaf]];
  return leaf;
}

// Turns leaves that stand for clusters into the numbers of these clusters, merge by merge.
void number_clusters(std::size_t n, std::vector<Merge>* merges) {
  std::vector<std::size_t> parents(n);
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  std::vector<std::size_t> cluster_of = parents;  // of a root
  std::vector<std::size_t> sizes(n, 1);           // of a root
  for (std::size_t k = 0; k < merges->size(); ++k) {
    Merge& merge = (*merges)[k];
    const std::size_t a = find_root(&parents, merge.a);
    const std::size_t b = find_root(&parents, merge.b);
    sizes[a] += sizes[b];
    const auto [low, high] = std::minmax({cluster_of[a], cluster_of[b]});
    merge = {low, high, merge.distance, sizes[a]};
    parents[b] = a;
    cluster_of[a] = n + k;
  }
}

}  // namespace

std::vector<Merge> average_linkage(std::size_t n, std::span<const double> distances) {
  std::vector<Merge> merges = NeighbourChain(n, distances).run();
  // Stable: parts that are as far apart as the whole come before it, as the chain found them.
  std::ranges::stable_sort(merges, {}, &Merge::distance);
  number_clusters(n, &merges);
  return merges;
}

std::vector<std::size_t> leaf_order(std::span<const Merge> merges, std::size_t n) {
  std::vector<std::size_t> order;
  if (n == 0) return order;
  std::vector<std::size_t> open = {n + merges.size() - 1};
  while (!open.empty()) {
    const std::size_t cluster = open.back();
    open.pop_back();
    if (cluster < n) {
      order.push_back(cluster);
      continue;
    }
    open.push_back(merges[cluster - n].b);
    open.push_back(merges[cluster - n].a);
  }
  return order;
}

std::vector<std::size_t> groups(std::span<const Merge> merges, std::size_t n, double cut) {
  // The largest cluster within the cut that holds each cluster, from the root down.
  std::vector<std::size_t> top(n + merges.size());
  std::iota(top.begin(), top.end(), std::size_t{0});
  for (std::size_t k = merges.size(); k-- > 0;) {
    if (!(merges[k].distance <= cut)) continue;
    top[merges[k].a] = top[merges[k].b] = top[n + k];
  }
  std::vector<std::size_t> number(top.size(), kNobody);
  std::vector<std::size_t> out(n);
  std::size_t n_groups = 0;
  for (const std::size_t leaf : leaf_order(merges, n)) {
    std::size_t& group = number[top[leaf]];
    if (group == kNobody) group = n_groups++;
    out[leaf] = group;
  }
  return out;
}

}  // namespace mha
