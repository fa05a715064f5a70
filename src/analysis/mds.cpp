#include "mha/analysis/mds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/tensor/eigen.hpp"

#include "distance_matrix.hpp"

namespace mha {
namespace {

// -1/2 J D J, where D holds the squared distances and J takes the mean off.
SquareMatrix doubly_centred(std::size_t n, std::span<const double> distances) {
  SquareMatrix matrix(n);
  matrix.values = complete_distances(n, distances);
  for (double& value : matrix.values) value *= value;
  std::vector<double> means(n, 0.0);  // of rows, and of columns
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) means[i] += matrix(i, j);
    means[i] /= static_cast<double>(n);
    total += means[i] / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      matrix(i, j) = -0.5 * (matrix(i, j) - means[i] - means[j] + total);
    }
  }
  return matrix;
}

// Negative eigenvalues, and those that are nothing but rounding, become 0.
void drop_negative(std::vector<double>* values) {
  double largest = 0;
  for (const double value : *values) largest = std::max(largest, std::fabs(value));
  const double rounding =
      static_cast<double>(values->size()) * std::numeric_limits<double>::epsilon() * largest;
  for (double& value : *values) value = value > rounding ? value : 0.0;
}

// +1 or -1: the sign of the first coordinate of largest magnitude.
double sign_of(const std::vector<double>& vector) {
  constexpr double kTie = 1e-9;
  double largest = 0;
  for (const double x : vector) largest = std::max(largest, std::fabs(x));
  const auto decisive = std::ranges::find_if(
      vector, [largest](double x) { return std::fabs(x) >= (1 - kTie) * largest; });
  return *decisive < 0 ? -1.0 : 1.0;
}

}  // namespace

PlaneMap classical_mds(std::size_t n, std::span<const double> distances) {
  SymmetricEigen eigen = symmetric_eigen(doubly_centred(n, distances));
  drop_negative(&eigen.values);
  PlaneMap map;
  map.points.assign(n, {0.0, 0.0});
  double all = 0;
  for (const double value : eigen.values) all += value;
  double held = 0;
  for (std::size_t d = 0; d < std::min<std::size_t>(2, n); ++d) {
    const double value = eigen.values[n - 1 - d];
    const std::vector<double>& vector = eigen.vectors[n - 1 - d];
    const double scale = sign_of(vector) * std::sqrt(value);
    for (std::size_t i = 0; i < n && value > 0; ++i) map.points[i][d] = scale * vector[i];
    held += value;
  }
  if (all > 0) map.share = held / all;
  return map;
}

}  // namespace mha
