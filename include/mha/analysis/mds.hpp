// A map of heads: points in the plane whose distances are close to those of a matrix.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace mha {

struct PlaneMap {
  std::vector<std::array<double, 2>> points;  // in the unit of the distances, around the origin
  // How much of the sum of the positive eigenvalues the two dimensions hold; 1 when there is none.
  double share = 1;
};

// Classical multidimensional scaling (Torgerson 1952): the two leading eigenvectors of the doubly
// centred squared distances, each times the root of its eigenvalue (of 0 when that is negative or
// rounding). In each dimension the coordinate of largest magnitude, the first one of those that are
// equal to 1e-9, is positive. `distances` is (n, n) as for average_linkage: its upper triangle is
// read, NaN counts as ln 2. Throws Error(kInternal) when the size is wrong.
PlaneMap classical_mds(std::size_t n, std::span<const double> distances);

}  // namespace mha
