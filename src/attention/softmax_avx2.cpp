#define MHA_SOFTMAX_NAMESPACE softmax_avx2
#define MHA_SOFTMAX_WIDTH 8
#include "softmax_kernel.hpp"

#include "softmax_kernels.hpp"

namespace mha {

SoftmaxKernel avx2_softmax() {
  return {"avx2", softmax_avx2::softmax_row, softmax_avx2::exp_row};
}

}  // namespace mha
