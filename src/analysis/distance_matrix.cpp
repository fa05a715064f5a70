#include "distance_matrix.hpp"

#include <cmath>
#include <numbers>

#include "mha/base/checked.hpp"

namespace mha {

std::vector<double> complete_distances(std::size_t n, std::span<const double> distances) {
  if (distances.size() != checked_mul(n, n)) {
    throw Error(ErrorKind::kInternal, "a distance matrix has the wrong size");
  }
  std::vector<double> out(n * n);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const double distance = distances[a * n + b];
      out[a * n + b] = out[b * n + a] = std::isnan(distance) ? std::numbers::ln2 : distance;
    }
  }
  return out;
}

}  // namespace mha
