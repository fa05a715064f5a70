// From hidden states to scores for each word of the vocabulary.
#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/tensor/gemm.hpp"

#include "transformer_parts.hpp"

namespace mha {
namespace {

// Floats of the decoder that are read at a time.
constexpr std::size_t kPartFloats = std::size_t{4} << 20;

LinearShape dense_shape(const ModelConfig& config) {
  return {config.d_model, config.d_embedding, true, true};
}

}  // namespace

void Transformer::Parts::use_prediction() {
  const HeadNames& head = family.head;
  const bool has_decoder = checkpoint.has(std::string(head.decoder) + ".weight");
  const bool has_dense = head.dense.empty() || checkpoint.has(std::string(head.dense) + ".weight");
  can_predict = has_dense && (has_decoder || config.ties_embeddings);
  if (!can_predict) return;
  if (!head.dense.empty()) {
    checkpoint.use_linear(std::string(head.dense), dense_shape(config));
    checkpoint.use_norm(std::string(head.norm), NormKind::kLayerNorm, config.d_embedding);
  }
  if (has_decoder) {
    checkpoint.use_table(std::string(head.decoder), config.vocab_size, config.d_embedding);
  }
  if (!head.bias.empty()) {
    checkpoint.use(checkpoint.find(std::string(head.bias)), {config.vocab_size});
  }
}

bool Transformer::can_predict() const {
  return parts_->can_predict;
}

Matrix Transformer::logits(ConstMatrix hidden, std::size_t n_threads) const {
  const Parts& parts = *parts_;
  const ModelConfig& config = parts.config;
  const HeadNames& head = parts.family.head;
  if (!parts.can_predict) fail_input("the checkpoint has no part that predicts tokens");
  Matrix x = copy_of(hidden);
  if (!head.dense.empty()) {
    x = apply(parts.checkpoint.linear(std::string(head.dense), dense_shape(config), n_threads),
              hidden, n_threads);
    activate(head.uses_gelu ? Activation::kGelu : config.activation, x.view(), n_threads);
    apply_norm(
        parts.checkpoint.norm(std::string(head.norm), NormKind::kLayerNorm, config.norm_epsilon),
        x.view(), n_threads);
  }
  const std::string own = std::string(head.decoder) + ".weight";
  const std::string tied =
      parts.checkpoint.full_name(parts.family.names.word_embedding) + ".weight";
  const std::size_t decoder = parts.checkpoint.find(parts.checkpoint.has(own) ? own : tied);
  const std::vector<float> bias =
      head.bias.empty() ? std::vector<float>() : parts.checkpoint.vector(std::string(head.bias));
  Matrix out(hidden.rows, config.vocab_size);
  const std::size_t width = config.d_embedding;
  const std::size_t n_words = std::max<std::size_t>(1, kPartFloats / width);
  FloatVector rows;
  for (std::size_t first = 0; first < config.vocab_size; first += n_words) {
    const std::size_t count = std::min(n_words, config.vocab_size - first);
    rows.resize(count * width);
    parts.checkpoint.read_rows(decoder, first, count, rows.data());
    const auto part_of_bias = bias.empty() ? std::span<const float>()
                                           : std::span<const float>(bias).subspan(first, count);
    parallel_gemm_transposed_b(std::as_const(x).view(), {rows.data(), count, width, width},
                               part_of_bias, out.view().col_range(first, count), n_threads);
  }
  return out;
}

}  // namespace mha
