#include "mha/tensor/matrix.hpp"

#include <algorithm>

#include "mha/base/checked.hpp"
#include "mha/base/parallel.hpp"

namespace mha {

Matrix copy_of(ConstMatrix from) {
  Matrix out(from.rows, from.cols);
  for (std::size_t i = 0; i < from.rows; ++i) {
    std::ranges::copy(from.row(i), out.view().row(i).begin());
  }
  return out;
}

void copy(ConstMatrix from, MatrixView to, std::size_t n_threads) {
  constexpr std::size_t kRows = 64;
  assert(from.rows == to.rows && from.cols == to.cols);
  parallel_for(ceil_div(from.rows, kRows), n_threads, [&](std::size_t item, std::size_t) {
    const std::size_t end = std::min((item + 1) * kRows, from.rows);
    for (std::size_t i = item * kRows; i < end; ++i) {
      std::ranges::copy(from.row(i), to.row(i).begin());
    }
  });
}

// In tiles that stay in the cache.
void transpose(ConstMatrix from, MatrixView to, std::size_t n_threads) {
  constexpr std::size_t kTile = 32;
  assert(from.rows == to.cols && from.cols == to.rows);
  parallel_for(ceil_div(from.rows, kTile), n_threads, [&](std::size_t item, std::size_t) {
    const std::size_t i0 = item * kTile;
    const std::size_t i_end = std::min(i0 + kTile, from.rows);
    for (std::size_t j0 = 0; j0 < from.cols; j0 += kTile) {
      const std::size_t j_end = std::min(j0 + kTile, from.cols);
      for (std::size_t i = i0; i < i_end; ++i) {
        for (std::size_t j = j0; j < j_end; ++j) to(j, i) = from(i, j);
      }
    }
  });
}

Matrix transposed(ConstMatrix from) {
  Matrix out(from.cols, from.rows);
  transpose(from, out.view(), 1);
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
