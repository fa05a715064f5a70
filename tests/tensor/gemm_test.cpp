#include "mha/tensor/gemm.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "support/catch.hpp"
#include "support/collect.hpp"

namespace mha {
namespace {

using test::random_matrix;

// alpha A B + beta C in double by plain loops; B^T where transposed.
double slow_entry(ConstMatrix a, ConstMatrix b, bool transposed, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < a.cols; ++k) {
    sum += static_cast<double>(a(i, k)) * static_cast<double>(transposed ? b(j, k) : b(k, j));
  }
  return sum;
}

void check_product(ConstMatrix a, ConstMatrix b, bool transposed, ConstMatrix c) {
  const double tolerance = 1e-5 * std::sqrt(static_cast<double>(a.cols) + 1);
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.cols; ++j) {
      const double expected = slow_entry(a, b, transposed, i, j);
      if (!(std::fabs(static_cast<double>(c(i, j)) - expected) <= tolerance)) {
        FAIL(i << "," << j << ": expected " << expected << ", got " << c(i, j));
      }
    }
  }
}

TEST_CASE("products agree with plain loops at odd shapes") {
  for (const auto& [m, k, n] : {std::tuple(1, 1, 1), std::tuple(3, 5, 7), std::tuple(17, 64, 33),
                                std::tuple(1, 300, 2), std::tuple(130, 1, 129)}) {
    const Matrix a = random_matrix(m, k, 1);
    const Matrix b = random_matrix(k, n, 2);
    const Matrix b_transposed = random_matrix(n, k, 3);
    Matrix c(m, n);
    gemm(1, a.view(), b.view(), 0, c.view());
    check_product(a.view(), b.view(), false, c.view());
    gemm_transposed_b(1, a.view(), b_transposed.view(), 0, c.view());
    check_product(a.view(), b_transposed.view(), true, c.view());
  }
}

TEST_CASE("a product reads and writes inside its views alone") {
  const Matrix a = random_matrix(6, 10, 1);
  const Matrix b = random_matrix(10, 8, 2);
  Matrix c(6, 8);
  std::fill_n(c.data(), 48, -7.0F);
  const ConstMatrix a_part = a.view().block(1, 3, 2, 4);
  const ConstMatrix b_part = b.view().block(3, 4, 1, 5);
  gemm(1, a_part, b_part, 0, c.view().block(2, 3, 1, 5));
  check_product(a_part, b_part, false, c.view().block(2, 3, 1, 5));
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      const bool inside = i >= 2 && i < 5 && j >= 1 && j < 6;
      if (!inside) REQUIRE(c(i, j) == -7.0F);
    }
  }
}

TEST_CASE("alpha scales, beta keeps, and beta 0 does not read what was there") {
  const Matrix a = random_matrix(2, 2, 1);
  const Matrix b = random_matrix(2, 2, 2);
  Matrix c(2, 2);
  std::fill_n(c.data(), 4, std::numeric_limits<float>::quiet_NaN());
  gemm(2, a.view(), b.view(), 0, c.view());
  CHECK(c(0, 1) == Approx(2 * slow_entry(a.view(), b.view(), false, 0, 1)).epsilon(1e-5));
  const float before = c(0, 1);
  gemm(1, a.view(), b.view(), 1, c.view());
  CHECK(c(0, 1) == Approx(1.5 * static_cast<double>(before)).epsilon(1e-5));
}

TEST_CASE("the parallel product adds the bias and has the same bits with any number of threads") {
  const Matrix a = random_matrix(1100, 40, 1);
  const Matrix b = random_matrix(40, 500, 2);
  const std::vector<float> bias(500, 100.0F);
  Matrix one(1100, 500);
  Matrix four(1100, 500);
  parallel_gemm(a.view(), b.view(), bias, one.view(), 1);
  parallel_gemm(a.view(), b.view(), bias, four.view(), 4);
  CHECK(std::memcmp(one.data(), four.data(), sizeof(float) * 1100 * 500) == 0);
  const double expected = 100 + slow_entry(a.view(), b.view(), false, 1099, 499);
  CHECK(static_cast<double>(one(1099, 499)) == Approx(expected).epsilon(1e-5));
  parallel_gemm(a.view(), b.view(), {}, one.view(), 2);
  check_product(a.view(), b.view(), false, one.view());
}

TEST_CASE("products without rows, columns or inner entries are done") {
  Matrix c(2, 2);
  std::fill_n(c.data(), 4, 5.0F);
  gemm(1, Matrix(2, 0).view(), Matrix(0, 2).view(), 0, c.view());
  CHECK(c(1, 1) == 0.0F);  // an empty sum
  gemm(1, Matrix(0, 3).view(), Matrix(3, 2).view(), 0, Matrix(0, 2).view());
  parallel_gemm(Matrix(0, 3).view(), Matrix(3, 2).view(), {}, Matrix(0, 2).view(), 2);
}

}  // namespace
}  // namespace mha
