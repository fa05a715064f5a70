#define MHA_KERNEL_NAMESPACE row_kernels_avx512
#define MHA_KERNEL_WIDTH 16
#include "row_kernels_builds.hpp"
#include "row_kernels_impl.hpp"

namespace mha {

RowKernels avx512_row_kernels() {
  return row_kernels_avx512::make_kernels("avx512");
}

}  // namespace mha
