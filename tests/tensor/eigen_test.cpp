#include "mha/tensor/eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/base/error.hpp"

#include "support/catch.hpp"

namespace mha {
namespace {

SquareMatrix matrix_of(std::size_t n, std::vector<double> values) {
  SquareMatrix out(n);
  out.values = std::move(values);
  return out;
}

TEST_CASE("a symmetric matrix is put together again from its eigenvalues and eigenvectors") {
  constexpr std::size_t n = 7;
  SquareMatrix matrix(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) matrix(i, j) = std::cos(static_cast<double>(i * j + i + j));
  }
  const SymmetricEigen eigen = symmetric_eigen(matrix);
  CHECK(std::ranges::is_sorted(eigen.values));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) {
        sum += eigen.values[k] * eigen.vectors[k][i] * eigen.vectors[k][j];
      }
      CHECK(std::fabs(sum - matrix(i, j)) < 1e-12);
    }
  }
}

TEST_CASE("only the upper triangle of a symmetric matrix is read") {
  const SymmetricEigen eigen = symmetric_eigen(matrix_of(2, {2, 1, 99, 2}));
  CHECK(std::fabs(eigen.values[0] - 1) < 1e-12);
  CHECK(std::fabs(eigen.values[1] - 3) < 1e-12);
}

TEST_CASE("a rotation has complex eigenvalues, a triangle those of its diagonal") {
  auto rotation = eigenvalues(matrix_of(2, {0, -1, 1, 0}));
  CHECK(std::fabs(rotation[0].real()) < 1e-12);
  CHECK(std::fabs(std::fabs(rotation[0].imag()) - 1) < 1e-12);
  CHECK(std::abs(rotation[0] - std::conj(rotation[1])) < 1e-12);
  auto triangle = eigenvalues(matrix_of(3, {1, 5, 7, 0, 2, 9, 0, 0, 3}));
  std::ranges::sort(triangle, {}, [](const auto& x) { return x.real(); });
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::abs(triangle[i] - static_cast<double>(i + 1)) < 1e-10);
  }
}

TEST_CASE("an empty matrix has no eigenvalues, and one that is not finite is refused") {
  CHECK(symmetric_eigen(SquareMatrix(0)).values.empty());
  CHECK(eigenvalues(SquareMatrix(0)).empty());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(symmetric_eigen(matrix_of(1, {nan})), Error);
  CHECK_THROWS_AS(eigenvalues(matrix_of(1, {nan})), Error);
}

}  // namespace
}  // namespace mha
