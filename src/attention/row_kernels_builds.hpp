// The kernels that a build may contain; row_kernels.cpp picks those that the processor can run.
#pragma once

#include "mha/attention/row_kernels.hpp"

namespace mha {

RowKernels portable_row_kernels();
RowKernels avx2_row_kernels();    // needs AVX2 and FMA
RowKernels avx512_row_kernels();  // needs AVX-512 F and DQ

}  // namespace mha
