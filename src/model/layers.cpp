#include "mha/model/layers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mha/base/checked.hpp"
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

float gelu(float x) {
  return 0.5F * x * (1.0F + std::erf(x * (std::numbers::sqrt2_v<float> / 2)));
}

float gelu_tanh(float x) {
  const float inner = std::sqrt(2.0F * std::numbers::inv_pi_v<float>) * (x + 0.044715F * x * x * x);
  return 0.5F * x * (1.0F + std::tanh(inner));
}

float relu(float x) {
  return std::max(x, 0.0F);
}

float silu(float x) {
  return x / (1.0F + std::exp(-x));
}

template <typename Function>
void apply_to_each(MatrixView x, Function function) {
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (float& value : x.row(i)) value = function(value);
  }
}

void activate_rows(Activation activation, MatrixView x) {
  switch (activation) {
    case Activation::kGelu:
      return apply_to_each(x, gelu);
    case Activation::kGeluTanh:
      return apply_to_each(x, gelu_tanh);
    case Activation::kRelu:
      return apply_to_each(x, relu);
    case Activation::kSilu:
      return apply_to_each(x, silu);
  }
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
  for_rows(x, n_threads, [&](MatrixView rows) { activate_rows(activation, rows); });
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
