#define MHA_SOFTMAX_NAMESPACE softmax_avx512
#define MHA_SOFTMAX_WIDTH 16
#include "softmax_kernel.hpp"

#include "softmax_kernels.hpp"

namespace mha {

SoftmaxKernel avx512_softmax() {
  return {"avx512", softmax_avx512::softmax_row, softmax_avx512::exp_row};
}

}  // namespace mha
