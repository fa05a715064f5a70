#define MHA_KERNEL_NAMESPACE row_kernels_portable
#define MHA_KERNEL_WIDTH 4
#include "row_kernels_builds.hpp"
#include "row_kernels_impl.hpp"

namespace mha {

RowKernels portable_row_kernels() {
  return row_kernels_portable::make_kernels("portable");
}

}  // namespace mha
