// Eigenvalues by the LAPACK inside OpenBLAS, in double precision.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace mha {

// Square matrix, row-major.
struct SquareMatrix {
  std::size_t n = 0;
  std::vector<double> values;  // n * n

  explicit SquareMatrix(std::size_t size) : n(size), values(size * size) {}
  double& operator()(std::size_t i, std::size_t j) { return values[i * n + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values[i * n + j]; }
};

struct SymmetricEigen {
  std::vector<double> values;                // ascending
  std::vector<std::vector<double>> vectors;  // of unit length, one for each value
};

// All eigenvalues and eigenvectors of a symmetric matrix (dsyevd); its upper triangle is read. The
// sign of a vector is LAPACK's. Throws Error(kInternal) when the iteration does not converge or the
// matrix holds a value that is not finite.
SymmetricEigen symmetric_eigen(const SquareMatrix& matrix);

// All eigenvalues of a general matrix (dgeev). Throws as above.
std::vector<std::complex<double>> eigenvalues(const SquareMatrix& matrix);

}  // namespace mha
