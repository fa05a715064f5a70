#include "mha/analysis/cost.hpp"

namespace mha {

std::vector<StageCost> layer_cost(const HeadLayout& layout, const AttentionShape& shape,
                                  std::size_t d_model, std::size_t d_context, std::size_t d_out) {
  const std::uint64_t n_query = shape.n_query;
  const std::uint64_t n_key = shape.n_key;
  const std::uint64_t q_width = layout.n_heads * layout.d_head;
  const std::uint64_t k_width = layout.n_kv_heads * layout.d_head;
  const std::uint64_t v_width = layout.n_kv_heads * layout.d_value;
  const std::uint64_t o_width = layout.n_heads * layout.d_value;
  const std::uint64_t cells = layout.n_heads * n_query * n_key;
  const auto bytes = [](std::uint64_t floats) { return floats * sizeof(float); };

  const std::uint64_t inputs = n_query * d_model + (shape.is_cross ? n_key * d_context : 0);
  const std::uint64_t weights = d_model * q_width + d_context * (k_width + v_width);
  const std::uint64_t projected = n_query * q_width + n_key * (k_width + v_width);
  return {
      {"project", n_query * d_model * q_width + n_key * d_context * (k_width + v_width),
       bytes(inputs + weights + projected)},
      {"scores", cells * layout.d_head, bytes(n_query * q_width + n_key * k_width + cells)},
      // One exponential, one addition and one multiplication a cell, counted as one multiply-add.
      {"softmax", cells, bytes(2 * cells)},
      {"weighted sum", cells * layout.d_value, bytes(cells + n_key * v_width + n_query * o_width)},
      {"output", n_query * o_width * d_out,
       bytes(n_query * o_width + o_width * d_out + n_query * d_out)},
  };
}

HeadLayout full_width_head(const HeadLayout& layout) {
  return {1, 1, layout.n_heads * layout.d_head, layout.n_heads * layout.d_value};
}

}  // namespace mha
