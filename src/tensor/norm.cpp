#include "mha/tensor/norm.hpp"

#include <cmath>

namespace mha {

void layer_norm(std::span<const float> weight, std::span<const float> bias, double epsilon,
                MatrixView x) {
  assert(weight.size() == x.cols && (bias.empty() || bias.size() == x.cols));
  const auto width = static_cast<double>(x.cols);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const std::span<float> row = x.row(i);
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
      const double shift = bias.empty() ? 0.0 : static_cast<double>(bias[c]);
      row[c] = static_cast<float>(unit * static_cast<double>(weight[c]) + shift);
    }
  }
}

void rms_norm(std::span<const float> weight, double epsilon, MatrixView x) {
  assert(weight.size() == x.cols);
  const auto width = static_cast<double>(x.cols);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const std::span<float> row = x.row(i);
    double squares = 0;
    for (const float value : row)
      squares += static_cast<double>(value) * static_cast<double>(value);
    const double factor = 1.0 / std::sqrt(squares / width + epsilon);
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c] =
          static_cast<float>(static_cast<double>(row[c]) * factor * static_cast<double>(weight[c]));
    }
  }
}

}  // namespace mha
