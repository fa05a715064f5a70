#include "random.hpp"

#include <cmath>

#include "mha/base/content_hash.hpp"

namespace mha {

void UniformNumbers::fill(MatrixView out, double standard_deviation) {
  const double half_width = standard_deviation * std::sqrt(3.0);
  for (std::size_t i = 0; i < out.rows; ++i) {
    for (float& value : out.row(i)) {
      const double unit = static_cast<double>(engine_() >> 11) * 0x1p-53;  // [0, 1)
      value = static_cast<float>((2 * unit - 1) * half_width);
    }
  }
}

Matrix token_embeddings(const std::vector<std::string>& tokens, std::size_t d_model) {
  Matrix out(tokens.size(), d_model);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    // From the token alone, so that its embedding does not depend on the other tokens.
    UniformNumbers(content_hash(tokens[i])).fill(out.view().row_range(i, 1), 1.0);
  }
  return out;
}

RandomWeights random_weights(std::uint64_t seed, const HeadLayout& layout, std::size_t d_model,
                             std::size_t d_context) {
  constexpr double kQueryGain = 2;  // 1 would leave every head almost uniform
  UniformNumbers numbers(seed);
  const auto make = [&numbers](std::size_t rows, std::size_t cols, double gain) {
    Projection out{Matrix(rows, cols), {}};
    numbers.fill(out.weight.view(), gain / std::sqrt(static_cast<double>(rows)));
    return out;
  };
  RandomWeights out;
  out.q = make(d_model, layout.n_heads * layout.d_head, kQueryGain);
  out.k = make(d_context, layout.n_kv_heads * layout.d_head, 1);
  out.v = make(d_context, layout.n_kv_heads * layout.d_value, 1);
  out.o = make(layout.n_heads * layout.d_value, d_model, 1);
  return out;
}

}  // namespace mha
