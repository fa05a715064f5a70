#include "mha/attention/softmax.hpp"

#include "softmax_kernels.hpp"

namespace mha {
namespace {

std::vector<SoftmaxKernel> runnable_kernels() {
  std::vector<SoftmaxKernel> kernels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    kernels.push_back(avx512_softmax());
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    kernels.push_back(avx2_softmax());
  }
#endif
  kernels.push_back(portable_softmax());
  return kernels;
}

}  // namespace

const std::vector<SoftmaxKernel>& softmax_kernels() {
  static const std::vector<SoftmaxKernel> kernels = runnable_kernels();
  return kernels;
}

}  // namespace mha
