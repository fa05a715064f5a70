// The kernels that a build may contain; softmax.cpp picks those that the processor can run.
#pragma once

#include "mha/attention/softmax.hpp"

namespace mha {

SoftmaxKernel portable_softmax();
SoftmaxKernel avx2_softmax();    // needs AVX2 and FMA
SoftmaxKernel avx512_softmax();  // needs AVX-512 F and DQ

}  // namespace mha
