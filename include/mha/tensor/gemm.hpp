// Matrix products by OpenBLAS. This module is the only one that knows cblas.
#pragma once

#include "mha/tensor/matrix.hpp"

namespace mha {

// Ends the worker threads that OpenBLAS starts when it is loaded: no call here uses them, and until
// they fall asleep they keep a core busy (tens of milliseconds of a short run). The first product
// does this by itself; a program may do it earlier.
void use_single_threaded_blas();

// C = alpha * A B + beta * C;  A (m, k), B (k, n), C (m, n). C is not read when beta is 0.
// Each call runs on the calling thread alone: parallelism is the caller's, who splits the work by
// shapes, so that results do not depend on the number of threads.
void gemm(float alpha, ConstMatrix a, ConstMatrix b, float beta, MatrixView c);

// C = alpha * A B^T + beta * C;  A (m, k), B (n, k), C (m, n).
void gemm_transposed_b(float alpha, ConstMatrix a, ConstMatrix b, float beta, MatrixView c);

// C = A B (+ bias on each row; bias has n entries or none), split over threads in tiles whose size
// follows from the shapes alone.
void parallel_gemm(ConstMatrix a, ConstMatrix b, std::span<const float> bias, MatrixView c,
                   std::size_t n_threads);

// The same with C = A B^T (+ bias);  A (m, k), B (n, k).
void parallel_gemm_transposed_b(ConstMatrix a, ConstMatrix b, std::span<const float> bias,
                                MatrixView c, std::size_t n_threads);

}  // namespace mha
