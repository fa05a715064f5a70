#include "mha/attention/row_kernels.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <iostream>
#include <limits>
#include <random>

#include "support/catch.hpp"

namespace mha {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

double exp_error(const RowKernels& kernel, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  kernel.exp_row(x.data(), y.data(), x.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = std::exp(static_cast<double>(x[i]));
    worst = std::max(worst, std::fabs(static_cast<double>(y[i]) - exact) / exact);
  }
  return worst;
}

TEST_CASE("exp is within 2e-7 of the exact value on [-87, 0] in every kernel") {
  for (const RowKernels& kernel : all_row_kernels()) {
    DYNAMIC_SECTION(kernel.name) {
      std::vector<float> x;
      for (double v = -87; v <= 0; v += 1e-4) x.push_back(static_cast<float>(v));
      // Every float next to a power of two and to the points where rounding to n ln 2 changes.
      for (int n = 0; n < 126; ++n) {
        const auto edge = static_cast<float>(-(n + 0.5) * std::log(2.0));
        for (float f : {std::nextafter(edge, -kInfinity), edge, std::nextafter(edge, 0.0F)}) {
          if (f >= -87) x.push_back(f);
        }
      }
      for (float f = -1e-3F; f < -1e-38F; f *= 0.7F) x.push_back(f);
      x.push_back(0.0F);
      x.push_back(-0.0F);
      const double worst = exp_error(kernel, x);
      INFO("largest relative error " << worst);
      CHECK(worst <= 2e-7);
    }
  }
}

TEST_CASE("exp is exactly zero below the smallest normal float, one at zero, NaN for NaN") {
  const float limit = std::log(FLT_MIN);
  for (const RowKernels& kernel : all_row_kernels()) {
    DYNAMIC_SECTION(kernel.name) {
      const std::vector<float> x = {
          0.0F,       std::nextafter(std::nextafter(limit, -kInfinity), -kInfinity),
          -88.0F,     -90.0F,
          -104.0F,    -1e30F,
          -kInfinity, kNaN};
      std::vector<float> y(x.size(), -1.0F);
      kernel.exp_row(x.data(), y.data(), x.size());
      CHECK(y[0] == 1.0F);
      for (std::size_t i = 1; i + 1 < x.size(); ++i) CHECK(y[i] == 0.0F);
      CHECK(std::isnan(y.back()));
    }
  }
}

// Compares a function of floats, in rows of every length, with its definition in double precision;
// returns the largest error relative to x.
double activation_error(void (*function)(float* row, std::size_t n), double (*exact)(double)) {
  double worst = 0;
  double x = -12;
  for (std::size_t n = 1; n <= 100; ++n) {
    std::vector<float> row(n);
    for (float& value : row) value = static_cast<float>(x += 24.0 / 5051);
    const std::vector<float> before = row;
    function(row.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto in = static_cast<double>(before[i]);
      const double error = std::fabs(static_cast<double>(row[i]) - exact(in));
      worst = std::max(worst, error / std::max(1e-6, std::fabs(in)));
    }
  }
  return worst;
}

TEST_CASE("activations of rows of every length agree with double precision in every kernel") {
  const auto gelu = [](double x) { return x * 0.5 * std::erfc(-x * std::sqrt(0.5)); };
  const auto gelu_tanh = [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1)) * (x + 0.044715 * x * x * x)));
  };
  const auto silu = [](double x) { return x / (1 + std::exp(-x)); };
  for (const RowKernels& kernel : all_row_kernels()) {
    DYNAMIC_SECTION(kernel.name) {
      CHECK(activation_error(kernel.gelu_row, gelu) < 3e-7);
      CHECK(activation_error(kernel.gelu_tanh_row, gelu_tanh) < 3e-7);
      CHECK(activation_error(kernel.silu_row, silu) < 3e-7);
      for (const auto function : {kernel.gelu_row, kernel.gelu_tanh_row, kernel.silu_row}) {
        std::vector<float> row = {kNaN, 1e30F, 0.0F};
        function(row.data(), row.size());
        CHECK(std::isnan(row[0]));
        CHECK(row[1] == 1e30F);
        CHECK(row[2] == 0.0F);
      }
    }
  }
}

TEST_CASE("softmax of rows of every length agrees with double precision in every kernel") {
  std::mt19937 engine(7);
  std::normal_distribution<float> normal(0, 4);
  for (const RowKernels& kernel : all_row_kernels()) {
    DYNAMIC_SECTION(kernel.name) {
      for (std::size_t n = 1; n <= 70; ++n) {
        std::vector<float> row(n);
        for (float& s : row) s = normal(engine);
        std::vector<double> exact;
        double sum = 0;
        for (float s : row) sum += std::exp(static_cast<double>(s));
        for (float s : row) exact.push_back(std::exp(static_cast<double>(s)) / sum);
        REQUIRE(kernel.softmax_row(row.data(), n) == SoftmaxOutcome::kOk);
        for (std::size_t i = 0; i < n; ++i) {
          REQUIRE(std::fabs(static_cast<double>(row[i]) - exact[i]) <= 1e-6 * exact[i] + 1e-12);
        }
      }
    }
  }
}

TEST_CASE("a long row still sums to one") {
  for (const RowKernels& kernel : all_row_kernels()) {
    std::vector<float> row(200003, 0.25F);
    row[77] = 3;
    REQUIRE(kernel.softmax_row(row.data(), row.size()) == SoftmaxOutcome::kOk);
    double sum = 0;
    for (float w : row) sum += static_cast<double>(w);
    CHECK(std::fabs(sum - 1) < 1e-6);
  }
}

TEST_CASE("rows with infinite or missing scores have a defined outcome in every kernel") {
  for (const RowKernels& kernel : all_row_kernels()) {
    DYNAMIC_SECTION(kernel.name) {
      for (std::size_t n : {1, 5, 16, 33}) {
        std::vector<float> hidden(n, -kInfinity);
        CHECK(kernel.softmax_row(hidden.data(), n) == SoftmaxOutcome::kNoFiniteScore);
        for (float w : hidden) CHECK(w == 0.0F);

        std::vector<float> nan_row(n, 1.0F);
        nan_row[n / 2] = kNaN;
        CHECK(kernel.softmax_row(nan_row.data(), n) == SoftmaxOutcome::kNonFinite);
        for (float w : nan_row) CHECK(std::isnan(w));

        std::vector<float> infinite(n, 1.0F);
        infinite[0] = kInfinity;
        CHECK(kernel.softmax_row(infinite.data(), n) == SoftmaxOutcome::kNonFinite);

        std::vector<float> mixed(n, -kInfinity);
        mixed[n - 1] = -1e4F;
        CHECK(kernel.softmax_row(mixed.data(), n) == SoftmaxOutcome::kOk);
        CHECK(mixed[n - 1] == 1.0F);
        if (n > 1) CHECK(mixed[0] == 0.0F);
      }
    }
  }
}

TEST_CASE("entropy, distance and largest weight of a row agree with double precision") {
  std::mt19937 engine(11);
  std::normal_distribution<float> normal(0, 6);
  for (const RowKernels& kernel : all_row_kernels()) {
    DYNAMIC_SECTION(kernel.name) {
      for (std::size_t n : {1, 2, 15, 16, 17, 100, 1023, 1024, 1025, 5000}) {
        std::vector<float> row(n);
        for (float& s : row) s = normal(engine);
        kernel.softmax_row(row.data(), n);
        if (n > 3) row[1] = 0.0F;
        const float offset = -static_cast<float>(n / 2);
        double total = 0, entropy = 0, distance = 0, largest = 0;
        for (std::size_t j = 0; j < n; ++j) {
          const auto w = static_cast<double>(row[j]);
          total += w;
          if (w > 0) entropy -= w * std::log(w);
          distance += w * std::fabs(static_cast<double>(offset) + static_cast<double>(j));
          largest = std::max(largest, w);
        }
        const WeightSums got = kernel.weight_sums(row.data(), n, offset);
        CHECK(got.total == Approx(total).epsilon(1e-6));
        CHECK(got.entropy == Approx(entropy).epsilon(1e-6).margin(1e-7));
        CHECK(got.distance == Approx(distance).epsilon(1e-6).margin(1e-12));
        CHECK(static_cast<double>(got.largest) == largest);
        CHECK(got.smallest == 0.0F);
        double signed_distance = 0;
        for (std::size_t j = 0; j < n; ++j) {
          signed_distance +=
              static_cast<double>(row[j]) * (static_cast<double>(offset) + static_cast<double>(j));
        }
        CHECK(got.offset == Approx(signed_distance).epsilon(1e-5).margin(1e-5));
        const WeightRange range = kernel.weight_range(row.data(), n);
        CHECK(range.total == Approx(total).epsilon(1e-6));
        CHECK(static_cast<double>(range.largest) == largest);
        CHECK(range.smallest == 0.0F);
        row[n - 1] = -0.5F;
        CHECK(kernel.weight_sums(row.data(), n, offset).smallest == -0.5F);
      }
      const std::vector<float> broken = {0.5F, kNaN, 0.5F};
      CHECK(std::isnan(kernel.weight_sums(broken.data(), 3, 0).total));
    }
  }
}

TEST_CASE("a range sees negative weights and weights that are not finite, in every lane") {
  for (const RowKernels& kernel : all_row_kernels()) {
    for (std::size_t n : {1, 15, 16, 17, 63, 64, 65, 1200}) {
      for (std::size_t at = 0; at < n; at += 7) {
        std::vector<float> row(n, 0.25F);
        row[at] = -0.5F;
        const WeightRange range = kernel.weight_range(row.data(), n);
        CHECK(range.smallest == -0.5F);
        CHECK(range.largest == (n == 1 ? 0.0F : 0.25F));
        row[at] = kNaN;
        CHECK(std::isnan(kernel.weight_range(row.data(), n).total));
      }
    }
  }
}

TEST_CASE("the first equal weight is found, wherever it stands") {
  for (const RowKernels& kernel : all_row_kernels()) {
    for (std::size_t n : {0, 1, 16, 33, 200}) {
      std::vector<float> row(n, 0.25F);
      CHECK(kernel.find_value(row.data(), n, 0.5F) == n);
      for (std::size_t at = 0; at < n; ++at) {
        row.assign(n, 0.25F);
        row[at] = 0.5F;
        if (at + 3 < n) row[at + 3] = 0.5F;
        REQUIRE(kernel.find_value(row.data(), n, 0.5F) == at);
      }
    }
  }
}

TEST_CASE("weights are added in units of 2^-23, the same in every build") {
  std::vector<float> row;
  for (int i = 0; i < 100; ++i) row.push_back(static_cast<float>(i) / 99);
  for (const RowKernels& kernel : all_row_kernels()) {
    std::vector<std::int32_t> sums(row.size(), 5);
    kernel.add_units(row.data(), row.size(), sums.data());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double exact = static_cast<double>(row[i]) * 8388608;
      CHECK(std::fabs(sums[i] - 5 - exact) <= 1);
    }
    CHECK(sums[0] == 5);
    CHECK(sums[99] == 8388608 + 5);
  }
}

TEST_CASE("an empty row has no finite score") {
  float nothing = 7;
  CHECK(softmax_row(&nothing, 0) == SoftmaxOutcome::kNoFiniteScore);
  CHECK(nothing == 7);
}

}  // namespace
}  // namespace mha
