#include "mha/model/layers.hpp"

#include <algorithm>

#include "mha/attention/row_kernels.hpp"
#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/tensor/gemm.hpp"
#include "mha/tensor/norm.hpp"

namespace mha {
namespace {

constexpr std::size_t kRowsPerItem = 16;

// Calls work(rows) for blocks of the rows of x, on several threads.
template <typename Work>
void for_rows(MatrixView x, std::size_t n_threads, const Work& work) {
  parallel_for(ceil_div(x.rows, kRowsPerItem), n_threads, [&](std::size_t item, std::size_t) {
    const std::size_t first = item * kRowsPerItem;
    work(x.row_range(first, std::min(kRowsPerItem, x.rows - first)));
  });
}

void relu_row(float* row, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) row[i] = std::max(row[i], 0.0F);
}

using RowFunction = void (*)(float* row, std::size_t n);

RowFunction function_of(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return row_kernels().gelu_row;
    case Activation::kGeluTanh:
      return row_kernels().gelu_tanh_row;
    case Activation::kRelu:
      return relu_row;
    case Activation::kSilu:
      return row_kernels().silu_row;
  }
  throw Error(ErrorKind::kInternal, "unknown activation");
}

}  // namespace

void apply_norm(const Norm& norm, MatrixView x, std::size_t n_threads) {
  for_rows(x, n_threads, [&](MatrixView rows) {
    if (norm.kind == NormKind::kRms) {
      rms_norm(norm.weight, norm.epsilon, rows);
    } else {
      layer_norm(norm.weight, norm.bias, norm.epsilon, rows);
    }
  });
}

void activate(Activation activation, MatrixView x, std::size_t n_threads) {
  const RowFunction function = function_of(activation);
  for_rows(x, n_threads, [&](MatrixView rows) {
    for (std::size_t i = 0; i < rows.rows; ++i) function(rows.row(i).data(), rows.cols);
  });
}

Matrix apply(const Linear& linear, ConstMatrix x, std::size_t n_threads) {
  Matrix out(x.rows, linear.n_out);
  const float* data = linear.weight.data();
  if (linear.is_out_in) {
    const ConstMatrix weight{data, linear.n_out, linear.n_in, linear.n_in};
    parallel_gemm_transposed_b(x, weight, linear.bias, out.view(), n_threads);
  } else {
    const ConstMatrix weight{data, linear.n_in, linear.n_out, linear.n_out};
    parallel_gemm(x, weight, linear.bias, out.view(), n_threads);
  }
  return out;
}

}  // namespace mha
