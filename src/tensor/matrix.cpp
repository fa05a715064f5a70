#include "mha/tensor/matrix.hpp"

#include <algorithm>

namespace mha {

Matrix copy_of(ConstMatrix from) {
  Matrix out(from.rows, from.cols);
  for (std::size_t i = 0; i < from.rows; ++i) {
    std::ranges::copy(from.row(i), out.view().row(i).begin());
  }
  return out;
}

// In tiles that stay in the cache.
Matrix transposed(ConstMatrix from) {
  constexpr std::size_t kTile = 32;
  Matrix out(from.cols, from.rows);
  for (std::size_t i0 = 0; i0 < from.rows; i0 += kTile) {
    for (std::size_t j0 = 0; j0 < from.cols; j0 += kTile) {
      for (std::size_t i = i0; i < std::min(i0 + kTile, from.rows); ++i) {
        for (std::size_t j = j0; j < std::min(j0 + kTile, from.cols); ++j) out(j, i) = from(i, j);
      }
    }
  }
  return out;
}

void add_to(MatrixView sum, ConstMatrix x) {
  for (std::size_t i = 0; i < sum.rows; ++i) {
    for (std::size_t c = 0; c < sum.cols; ++c) sum(i, c) += x(i, c);
  }
}

void multiply_by(MatrixView product, ConstMatrix x) {
  for (std::size_t i = 0; i < product.rows; ++i) {
    for (std::size_t c = 0; c < product.cols; ++c) product(i, c) *= x(i, c);
  }
}

}  // namespace mha
