// What a checkpoint's config.json says about the shape of a transformer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mha {

enum class Activation {
  kGelu,      // x Phi(x), with the error function
  kGeluTanh,  // its approximation by tanh (Hendrycks and Gimpel 2016, eq. 2)
  kRelu,
};

struct ModelConfig {
  std::string model_type;  // as config.json names the family: "bert", "gpt2", ...
  std::size_t n_layers = 0;
  std::size_t n_heads = 0;
  std::size_t d_model = 0;
  std::size_t d_inner = 0;  // width of the feed-forward part
  std::size_t vocab_size = 0;
  std::size_t max_positions = 0;
  std::size_t n_token_types = 0;  // 0: the model has none
  double norm_epsilon = 1e-5;
  Activation activation = Activation::kGelu;

  std::size_t d_head() const { return d_model / n_heads; }
};

// Reads config.json. Throws Error(kInput), starting with a JSON pointer or LINE:COLUMN, for a
// family or a value that is not implemented, and for sizes that do not fit together.
ModelConfig read_model_config(std::string_view json);

}  // namespace mha
