#include "mha/model/layers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

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

// Rows are worked on in pieces that stay in the first cache.
constexpr std::size_t kPiece = 1024;
using Piece = std::array<float, kPiece>;

// x / (1 + e^-z) for each x and its z. The exponential is taken of -|z|, which cannot overflow.
void times_sigmoid(std::span<float> x, const Piece& z) {
  Piece e;
  for (std::size_t i = 0; i < x.size(); ++i) e[i] = -std::fabs(z[i]);
  row_kernels().exp_row(e.data(), e.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] *= (z[i] < 0 ? e[i] : 1.0F) / (1.0F + e[i]);
  }
}

void silu(std::span<float> x) {
  Piece z;
  std::ranges::copy(x, z.begin());
  times_sigmoid(x, z);
}

// 0.5 x (1 + tanh u) = x / (1 + e^-2u), u = sqrt(2 / pi) (x + 0.044715 x^3).
void gelu_tanh(std::span<float> x) {
  const float factor = 2 * std::sqrt(2 * std::numbers::inv_pi_v<float>);
  Piece z;
  for (std::size_t i = 0; i < x.size(); ++i) {
    z[i] = factor * (x[i] + 0.044715F * x[i] * x[i] * x[i]);
  }
  times_sigmoid(x, z);
}

// ln erfc(z) + z^2 for z >= 0 and t = 1 / (1 + z / 2): a Chebyshev fit whose erfc has a relative
// error of at most 1.2e-7 (Press et al., Numerical Recipes, 2nd edition, section 6.2).
float log_scaled_erfc(float t) {
  constexpr std::array<float, 10> kCoefficients = {
      -1.26551223F, 1.00002368F,  0.37409196F, 0.09678418F,  -0.18628806F,
      0.27886807F,  -1.13520398F, 1.48851587F, -0.82215223F, 0.17087277F};
  float sum = kCoefficients.back();
  for (std::size_t c = kCoefficients.size() - 1; c-- > 0;) sum = sum * t + kCoefficients[c];
  return sum;
}

// x Phi(x), with Phi(x) = erfc(-x / sqrt 2) / 2.
void gelu(std::span<float> x) {
  Piece e;
  Piece scale;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float z = std::fabs(x[i]) * (std::numbers::sqrt2_v<float> / 2);
    const float t = 1.0F / (1.0F + 0.5F * z);
    scale[i] = 0.5F * t;
    e[i] = std::min(log_scaled_erfc(t) - z * z, 0.0F);
  }
  row_kernels().exp_row(e.data(), e.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float tail = scale[i] * e[i];  // Phi(-|x|)
    x[i] *= x[i] < 0 ? tail : 1.0F - tail;
  }
}

void relu(std::span<float> x) {
  for (float& value : x) value = std::max(value, 0.0F);
}

using Function = void (*)(std::span<float>);

Function function_of(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return gelu;
    case Activation::kGeluTanh:
      return gelu_tanh;
    case Activation::kRelu:
      return relu;
    case Activation::kSilu:
      return silu;
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
  const Function function = function_of(activation);
  for_rows(x, n_threads, [&](MatrixView rows) {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const std::span<float> row = rows.row(i);
      for (std::size_t first = 0; first < row.size(); first += kPiece) {
        function(row.subspan(first, std::min(kPiece, row.size() - first)));
      }
    }
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
