#include "mha/model/layers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mha {
namespace {

void norm_row(const LayerNorm& norm, double epsilon, std::span<float> row) {
  const auto width = static_cast<double>(row.size());
  double sum = 0;
  for (const float value : row) sum += static_cast<double>(value);
  const double mean = sum / width;
  double squares = 0;
  for (const float value : row) {
    const double distance = static_cast<double>(value) - mean;
    squares += distance * distance;
  }
  const double factor = 1.0 / std::sqrt(squares / width + epsilon);
  for (std::size_t c = 0; c < row.size(); ++c) {
    const double unit = (static_cast<double>(row[c]) - mean) * factor;
    const double shift = norm.bias.empty() ? 0.0 : static_cast<double>(norm.bias[c]);
    row[c] = static_cast<float>(unit * static_cast<double>(norm.weight[c]) + shift);
  }
}

float gelu(float x) {
  return 0.5F * x * (1.0F + std::erf(x * (std::numbers::sqrt2_v<float> / 2)));
}

float gelu_tanh(float x) {
  const float inner = std::sqrt(2.0F * std::numbers::inv_pi_v<float>) * (x + 0.044715F * x * x * x);
  return 0.5F * x * (1.0F + std::tanh(inner));
}

}  // namespace

void layer_norm(const LayerNorm& norm, double epsilon, MatrixView x) {
  for (std::size_t i = 0; i < x.rows; ++i) norm_row(norm, epsilon, x.row(i));
}

void activate(Activation activation, MatrixView x) {
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (float& value : x.row(i)) {
      switch (activation) {
        case Activation::kGelu:
          value = gelu(value);
          break;
        case Activation::kGeluTanh:
          value = gelu_tanh(value);
          break;
        case Activation::kRelu:
          value = std::max(value, 0.0F);
          break;
      }
    }
  }
}

}  // namespace mha
