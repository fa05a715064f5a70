#define MHA_SOFTMAX_NAMESPACE softmax_portable
#define MHA_SOFTMAX_WIDTH 4
#include "softmax_kernel.hpp"

#include "softmax_kernels.hpp"

namespace mha {

SoftmaxKernel portable_softmax() {
  return {"portable", softmax_portable::softmax_row, softmax_portable::exp_row};
}

}  // namespace mha
