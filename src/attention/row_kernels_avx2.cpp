#define MHA_KERNEL_NAMESPACE row_kernels_avx2
#define MHA_KERNEL_WIDTH 8
#include "row_kernels_builds.hpp"
#include "row_kernels_impl.hpp"

namespace mha {

RowKernels avx2_row_kernels() {
  return row_kernels_avx2::make_kernels("avx2");
}

}  // namespace mha
