#include "mha/attention/row_kernels.hpp"

#include "row_kernels_builds.hpp"

namespace mha {
namespace {

std::vector<RowKernels> runnable_kernels() {
  std::vector<RowKernels> kernels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    kernels.push_back(avx512_row_kernels());
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    kernels.push_back(avx2_row_kernels());
  }
#endif
  kernels.push_back(portable_row_kernels());
  return kernels;
}

}  // namespace

const std::vector<RowKernels>& all_row_kernels() {
  static const std::vector<RowKernels> kernels = runnable_kernels();
  return kernels;
}

}  // namespace mha
