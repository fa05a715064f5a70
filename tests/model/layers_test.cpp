// Activations and norms against their definitions in double precision.
#include "mha/model/layers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "support/catch.hpp"
#include "support/collect.hpp"
#include "support/oracle.hpp"

namespace mha {
namespace {

// Every float of this grid, beyond the ends of all pieces that the functions work in.
Matrix grid() {
  constexpr std::size_t kValues = 5001;
  Matrix x(3, kValues);
  for (std::size_t c = 0; c < kValues; ++c) {
    const float value = -30.0F + 60.0F * static_cast<float>(c) / (kValues - 1);
    x(0, c) = value;
    x(1, c) = value / 100;
    x(2, c) = value * 1e-4F;
  }
  return x;
}

std::vector<float> random_vector(std::size_t n, int seed) {
  const Matrix values = test::random_matrix(1, n, seed);
  return {values.data(), values.data() + n};
}

double phi(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

TEST_CASE("activations keep their definitions to a few units of float") {
  struct Case {
    const char* name;
    Activation activation;
    std::function<double(double)> exact;
  };
  const std::vector<Case> cases = {
      {"gelu", Activation::kGelu, [](double x) { return x * phi(x); }},
      {"gelu by tanh", Activation::kGeluTanh,
       [](double x) {
         return 0.5 * x *
                (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
       }},
      {"relu", Activation::kRelu, [](double x) { return std::max(x, 0.0); }},
      {"silu", Activation::kSilu, [](double x) { return x / (1 + std::exp(-x)); }},
  };
  for (const Case& one : cases) {
    const Matrix x = grid();
    Matrix y = x;
    activate(one.activation, y.view(), 0);
    double worst = 0;
    for (std::size_t i = 0; i < x.rows(); ++i) {
      for (std::size_t c = 0; c < x.cols(); ++c) {
        const auto in = static_cast<double>(x(i, c));
        const double error = std::fabs(static_cast<double>(y(i, c)) - one.exact(in));
        worst = std::max(worst, error / std::max(1e-6, std::fabs(in)));
      }
    }
    INFO(one.name << ": largest error relative to x " << worst);
    CHECK(worst < 3e-7);
  }
}

TEST_CASE("norms bring each row to what they promise, for any number of threads") {
  const Matrix x = test::random_matrix(37, 24, 5);
  const std::vector<float> weight = random_vector(24, 6);
  const std::vector<float> bias = random_vector(24, 7);
  for (const NormKind kind : {NormKind::kLayerNorm, NormKind::kRms}) {
    Norm norm{kind, 1e-3, weight, {}};
    if (kind == NormKind::kLayerNorm) norm.bias = bias;
    Matrix y = x;
    apply_norm(norm, y.view(), 3);
    for (std::size_t i = 0; i < x.rows(); ++i) {
      double mean = 0;
      for (const float value : x.view().row(i)) mean += static_cast<double>(value) / 24;
      if (kind == NormKind::kRms) mean = 0;
      double variance = 0;
      for (const float value : x.view().row(i)) {
        variance += std::pow(static_cast<double>(value) - mean, 2) / 24;
      }
      for (std::size_t c = 0; c < x.cols(); ++c) {
        const double shift = norm.bias.empty() ? 0 : static_cast<double>(bias[c]);
        const double expected = (static_cast<double>(x(i, c)) - mean) / std::sqrt(variance + 1e-3) *
                                    static_cast<double>(weight[c]) +
                                shift;
        CHECK(static_cast<double>(y(i, c)) == Approx(expected).margin(1e-6));
      }
    }
  }
}

TEST_CASE("a linear layer gives the same from both ways of storing it") {
  const Matrix x = test::random_matrix(5, 7, 1);
  const Matrix in_out = test::random_matrix(7, 11, 2);
  const Matrix out_in = transposed(in_out.view());
  const std::vector<float> bias = random_vector(11, 3);
  const auto linear = [&](const Matrix& weight, bool is_out_in) {
    FloatVector data(weight.data(), weight.data() + weight.rows() * weight.cols());
    return apply(Linear{FloatStorage(std::move(data)), 7, 11, is_out_in, bias}, x.view(), 2);
  };
  const Matrix a = linear(in_out, false);
  const Matrix b = linear(out_in, true);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t c = 0; c < 11; ++c) {
      double sum = static_cast<double>(bias[c]);
      for (std::size_t k = 0; k < 7; ++k) {
        sum += static_cast<double>(x(i, k)) * static_cast<double>(in_out(k, c));
      }
      CHECK(static_cast<double>(a(i, c)) == Approx(sum).margin(1e-5));
      CHECK(static_cast<double>(b(i, c)) == Approx(sum).margin(1e-5));
    }
  }
}

}  // namespace
}  // namespace mha
