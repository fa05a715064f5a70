#include "mha/tensor/gemm.hpp"

#include <algorithm>
#include <mutex>

#include <cblas.h>

#include "mha/base/checked.hpp"
#include "mha/base/parallel.hpp"

// Exported by OpenBLAS (it is what its own fork handler calls); absent from other BLAS libraries.
extern "C" int blas_thread_shutdown_() __attribute__((weak));

namespace mha {
namespace {

// Tiles of a parallel product: wide enough for BLAS to run at full rate, narrow enough that two or
// more threads finish together. Measured in tests/bench (docs/performance.md).
constexpr std::size_t kTileRows = 512;
constexpr std::size_t kTileCols = 192;

blasint to_blas(std::size_t n) {
  return static_cast<blasint>(n);
}

void call_sgemm(CBLAS_TRANSPOSE transpose_b, float alpha, ConstMatrix a, ConstMatrix b, float beta,
                MatrixView c) {
  if (c.rows == 0 || c.cols == 0) return;
  use_single_threaded_blas();
  // BLAS wants a leading dimension of at least 1 even where there are no columns.
  const auto leading = [](std::size_t stride) { return to_blas(std::max<std::size_t>(1, stride)); };
  cblas_sgemm(CblasRowMajor, CblasNoTrans, transpose_b, to_blas(c.rows), to_blas(c.cols),
              to_blas(a.cols), alpha, a.data, leading(a.stride), b.data, leading(b.stride), beta,
              c.data, leading(c.stride));
}

void fill_rows(std::span<const float> bias, MatrixView c) {
  for (std::size_t i = 0; i < c.rows; ++i) std::copy(bias.begin(), bias.end(), c.row(i).begin());
}

// Calls product(rows of A, first column of C, beta, tile of C) for each tile.
template <typename Product>
void in_tiles(ConstMatrix a, std::span<const float> bias, MatrixView c, std::size_t n_threads,
              const Product& product) {
  assert(bias.empty() || bias.size() == c.cols);
  const std::size_t n_row_tiles = ceil_div(c.rows, kTileRows);
  const std::size_t n_col_tiles = ceil_div(c.cols, kTileCols);
  parallel_for(n_row_tiles * n_col_tiles, n_threads, [&](std::size_t item, std::size_t) {
    const std::size_t row = item / n_col_tiles * kTileRows;
    const std::size_t col = item % n_col_tiles * kTileCols;
    const std::size_t n_rows = std::min(kTileRows, c.rows - row);
    const std::size_t n_cols = std::min(kTileCols, c.cols - col);
    const MatrixView tile = c.block(row, n_rows, col, n_cols);
    if (!bias.empty()) fill_rows(bias.subspan(col, n_cols), tile);
    product(a.row_range(row, n_rows), col, bias.empty() ? 0.0F : 1.0F, tile);
  });
}

}  // namespace

void use_single_threaded_blas() {
  static std::once_flag once;
  std::call_once(once, [] {
    // In this order: setting a number would start the threads again, and they spin for a while.
    openblas_set_num_threads(1);
    if (blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
  });
}

void gemm(float alpha, ConstMatrix a, ConstMatrix b, float beta, MatrixView c) {
  assert(a.rows == c.rows && a.cols == b.rows && b.cols == c.cols);
  call_sgemm(CblasNoTrans, alpha, a, b, beta, c);
}

void gemm_transposed_b(float alpha, ConstMatrix a, ConstMatrix b, float beta, MatrixView c) {
  assert(a.rows == c.rows && a.cols == b.cols && b.rows == c.cols);
  call_sgemm(CblasTrans, alpha, a, b, beta, c);
}

void parallel_gemm(ConstMatrix a, ConstMatrix b, std::span<const float> bias, MatrixView c,
                   std::size_t n_threads) {
  assert(a.rows == c.rows && a.cols == b.rows && b.cols == c.cols);
  in_tiles(a, bias, c, n_threads,
           [&](ConstMatrix rows, std::size_t col, float beta, MatrixView tile) {
             gemm(1.0F, rows, b.col_range(col, tile.cols), beta, tile);
           });
}

void parallel_gemm_transposed_b(ConstMatrix a, ConstMatrix b, std::span<const float> bias,
                                MatrixView c, std::size_t n_threads) {
  assert(a.rows == c.rows && a.cols == b.cols && b.rows == c.cols);
  in_tiles(a, bias, c, n_threads,
           [&](ConstMatrix rows, std::size_t col, float beta, MatrixView tile) {
             gemm_transposed_b(1.0F, rows, b.row_range(col, tile.cols), beta, tile);
           });
}

}  // namespace mha
