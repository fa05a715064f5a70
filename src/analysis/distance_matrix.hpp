// The distances that clustering and maps work on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mha {

// The upper triangle of `distances` (n, n) mirrored, with 0 on the diagonal and ln 2, the largest
// Jensen-Shannon distance, for NaN. Throws Error(kInternal) when there are not n * n distances.
std::vector<double> complete_distances(std::size_t n, std::span<const double> distances);

}  // namespace mha
