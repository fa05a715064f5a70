#include "mha/tensor/eigen.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/tensor/gemm.hpp"

// LAPACK's Fortran interface, which OpenBLAS exports: everything by reference, matrices by columns.
extern "C" {
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info);
void dgeev_(const char* jobvl, const char* jobvr, const int* n, double* a, const int* lda,
            double* wr, double* wi, double* vl, const int* ldvl, double* vr, const int* ldvr,
            double* work, const int* lwork, int* info);
}

namespace mha {
namespace {

void check_finite(const SquareMatrix& matrix) {
  const bool is_finite =
      std::ranges::all_of(matrix.values, [](double x) { return std::isfinite(x); });
  if (!is_finite) throw Error(ErrorKind::kInternal, "eigenvalues of a matrix that is not finite");
}

void check_info(const char* routine, int info) {
  if (info != 0) throw Error(ErrorKind::kInternal, concat(routine, " failed with ", info));
}

}  // namespace

SymmetricEigen symmetric_eigen(const SquareMatrix& matrix) {
  check_finite(matrix);
  use_single_threaded_blas();
  const int n = static_cast<int>(matrix.n);
  SymmetricEigen out;
  out.values.resize(matrix.n);
  if (n == 0) return out;
  std::vector<double> a = matrix.values;
  const int leading = n;
  int info = 0;
  int query = -1;
  double work_size = 0;
  int iwork_size = 0;
  // The upper triangle by rows is the lower one by columns.
  dsyevd_("V", "L", &n, a.data(), &leading, out.values.data(), &work_size, &query, &iwork_size,
          &query, &info);
  check_info("dsyevd", info);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size));
  const int n_work = static_cast<int>(work.size());
  dsyevd_("V", "L", &n, a.data(), &leading, out.values.data(), work.data(), &n_work, iwork.data(),
          &iwork_size, &info);
  check_info("dsyevd", info);
  for (std::size_t i = 0; i < matrix.n; ++i) {
    const auto first = a.begin() + static_cast<std::ptrdiff_t>(i * matrix.n);
    out.vectors.emplace_back(first, first + n);
  }
  return out;
}

std::vector<std::complex<double>> eigenvalues(const SquareMatrix& matrix) {
  check_finite(matrix);
  use_single_threaded_blas();
  const int n = static_cast<int>(matrix.n);
  if (n == 0) return {};
  // The transpose, which is what LAPACK sees, has the same eigenvalues.
  std::vector<double> a = matrix.values;
  std::vector<double> real(matrix.n);
  std::vector<double> imaginary(matrix.n);
  const int leading = n;
  const int one = 1;
  const int query = -1;
  int info = 0;
  double work_size = 0;
  dgeev_("N", "N", &n, a.data(), &leading, real.data(), imaginary.data(), nullptr, &one, nullptr,
         &one, &work_size, &query, &info);
  check_info("dgeev", info);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  const int n_work = static_cast<int>(work.size());
  dgeev_("N", "N", &n, a.data(), &leading, real.data(), imaginary.data(), nullptr, &one, nullptr,
         &one, work.data(), &n_work, &info);
  check_info("dgeev", info);
  std::vector<std::complex<double>> out;
  for (std::size_t i = 0; i < matrix.n; ++i) out.emplace_back(real[i], imaginary[i]);
  return out;
}

}  // namespace mha
