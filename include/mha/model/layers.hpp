// What stands between the attention layers of a transformer: norms, activations, plain layers.
#pragma once

#include <vector>

#include "mha/tensor/matrix.hpp"
#include "mha/tensor/storage.hpp"

namespace mha {

enum class NormKind {
  kLayerNorm,  // each row to mean 0 and variance 1, times weight plus bias (Ba et al. 2016)
  kRms,        // each row divided by its root mean square, times weight (Zhang and Sennrich 2019)
};

struct Norm {
  NormKind kind = NormKind::kLayerNorm;
  double epsilon = 1e-5;
  std::vector<float> weight;
  std::vector<float> bias;  // kLayerNorm: as many, or none
  bool empty() const { return weight.empty(); }
};

// Normalises each row of x in place; sums are in double precision.
void apply_norm(const Norm& norm, MatrixView x, std::size_t n_threads);

enum class Activation {
  kGelu,      // x Phi(x), with the error function
  kGeluTanh,  // its approximation by tanh (Hendrycks and Gimpel 2016, eq. 2)
  kRelu,
  kSilu,  // x / (1 + e^-x)
};

void activate(Activation activation, MatrixView x, std::size_t n_threads);

// y = x W + b with W as the checkpoint stores it, in place where the file allows it.
struct Linear {
  FloatStorage weight;
  std::size_t n_in = 0;
  std::size_t n_out = 0;
  bool is_out_in = false;   // stored (n_out, n_in), as torch.nn.Linear does; else (n_in, n_out)
  std::vector<float> bias;  // n_out, or none
};

Matrix apply(const Linear& linear, ConstMatrix x, std::size_t n_threads);

}  // namespace mha
