#include "mha/tensor/norm.hpp"

#include <array>
#include <cmath>
#include <numeric>

namespace mha {
namespace {

// The sum of term(value) over a row. Several sums side by side: one alone would wait for each
// addition before it starts the next.
template <typename Term>
double sum_of(std::span<const float> row, const Term& term) {
  constexpr std::size_t kSums = 8;
  std::array<double, kSums> sums = {};
  std::size_t c = 0;
  for (; c + kSums <= row.size(); c += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += term(static_cast<double>(row[c + k]));
  }
  for (; c < row.size(); ++c) sums[0] += term(static_cast<double>(row[c]));
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

void layer_norm(std::span<const float> weight, std::span<const float> bias, double epsilon,
                MatrixView x) {
  assert(weight.size() == x.cols && (bias.empty() || bias.size() == x.cols));
  const auto width = static_cast<double>(x.cols);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const std::span<float> row = x.row(i);
    const double mean = sum_of(row, [](double value) { return value; }) / width;
    const double squares =
        sum_of(row, [mean](double value) { return (value - mean) * (value - mean); });
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
    const double squares = sum_of(row, [](double value) { return value * value; });
    const double factor = 1.0 / std::sqrt(squares / width + epsilon);
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c] =
          static_cast<float>(static_cast<double>(row[c]) * factor * static_cast<double>(weight[c]));
    }
  }
}

}  // namespace mha
