// Groups of heads: average-linkage clustering of a distance matrix.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mha {

// Two clusters become one. Clusters 0 to n - 1 are the leaves, merge k makes cluster n + k (as in
// scipy); a < b.
struct Merge {
  std::size_t a = 0;
  std::size_t b = 0;
  double distance = 0;   // mean distance between a leaf of a and a leaf of b
  std::size_t size = 0;  // leaves of the new cluster
};

// All n - 1 merges, by increasing distance; none for n < 2. `distances` is (n, n), symmetric; its
// upper triangle is read and NaN counts as ln 2. O(n^2) time and memory. Throws Error(kInternal)
// when the size is wrong.
std::vector<Merge> average_linkage(std::size_t n, std::span<const double> distances);

// The n leaves from left to right, so that every cluster is contiguous; a stands left of b.
std::vector<std::size_t> leaf_order(std::span<const Merge> merges, std::size_t n);

// The group of each leaf when clusters that merge at a distance of at most `cut` stay together.
// Groups are numbered from 0 as they appear in leaf_order.
std::vector<std::size_t> groups(std::span<const Merge> merges, std::size_t n, double cut);

}  // namespace mha
