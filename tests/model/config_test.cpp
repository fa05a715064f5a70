// config.json: what is read, and what is refused by name.
#include "mha/model/config.hpp"

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/errors.hpp"

namespace mha {
namespace {

using nlohmann::json;
using test::error_of;

json bert_config() {
  return {{"model_type", "bert"},
          {"num_hidden_layers", 3},
          {"num_attention_heads", 4},
          {"hidden_size", 32},
          {"intermediate_size", 64},
          {"max_position_embeddings", 20},
          {"type_vocab_size", 2},
          {"vocab_size", 60},
          {"layer_norm_eps", 1e-12},
          {"hidden_act", "gelu"},
          {"position_embedding_type", "absolute"}};
}

std::string error_with(const char* key, const json& value) {
  json config = bert_config();
  config[key] = value;
  return error_of([&] { read_model_config(config.dump()); });
}

TEST_CASE("a BERT configuration is read") {
  const ModelConfig config = read_model_config(bert_config().dump());
  CHECK(config.n_layers == 3);
  CHECK(config.n_heads == 4);
  CHECK(config.d_model == 32);
  CHECK(config.d_head == 8);
  CHECK(config.d_inner == 64);
  CHECK(config.vocab_size == 60);
  CHECK(config.max_positions == 20);
  CHECK(config.n_token_types == 2);
  CHECK(config.norm_epsilon == 1e-12);
  CHECK(config.activation == Activation::kGelu);
}

TEST_CASE("GPT-2 without n_inner has a feed-forward part of four times d_model") {
  const json config = {{"model_type", "gpt2"}, {"n_layer", 2},
                       {"n_head", 2},          {"n_embd", 8},
                       {"n_inner", nullptr},   {"n_positions", 16},
                       {"vocab_size", 11},     {"activation_function", "gelu_new"}};
  const ModelConfig read = read_model_config(config.dump());
  CHECK(read.d_inner == 32);
  CHECK(read.n_token_types == 0);
  CHECK(read.norm_epsilon == 1e-5);
  CHECK(read.activation == Activation::kGeluTanh);
}

TEST_CASE("a family that is not implemented is refused by name") {
  CHECK(
      error_with("model_type", "mamba") ==
      "/model_type: a family that is not implemented; expected one of bert, megatron-bert, "
      "roberta, xlm-roberta, camembert, distilbert, electra, albert, gpt2, llama, mistral, qwen2, "
      "qwen3, got 'mamba'");
  CHECK(error_with("model_type", 3) ==
        "/model_type: not usable; expected the name of a family, got the number 3");
}

TEST_CASE("values that would change the computation are refused by name") {
  CHECK(error_with("position_embedding_type", "relative_key") ==
        "/position_embedding_type: a value that is not implemented; expected \"absolute\", got "
        "\"relative_key\"");
  CHECK(error_with("is_decoder", true) ==
        "/is_decoder: a value that is not implemented; expected false, got true");
  CHECK(
      error_with("hidden_act", "mish") ==
      "/hidden_act: not usable; expected gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, relu, silu "
      "or swish, got 'mish'");
  CHECK(error_with("quantization_config", {{"bits", 4}})
            .starts_with("/quantization_config: quantised weights are not implemented"));
}

TEST_CASE("sizes are whole numbers that fit together") {
  CHECK(
      error_with("hidden_size", -32) ==
      "/hidden_size: not usable; expected a whole number from 1 to 1000000000, got the number -32");
  CHECK(error_with("hidden_size", "32") ==
        "/hidden_size: not usable; expected a whole number from 1 to 1000000000, got a string");
  CHECK(error_with("num_hidden_layers", 1e18) ==
        "/num_hidden_layers: not usable; expected a whole number from 1 to 100000, got the "
        "number 1e+18");
  CHECK(error_with("num_attention_heads", 5) ==
        "/num_attention_heads: not usable; expected a divisor of hidden_size 32, got 5");
  CHECK(error_with("layer_norm_eps", 0) ==
        "/layer_norm_eps: not usable; expected a number above 0, got the number 0");
  json config = bert_config();
  config.erase("vocab_size");
  CHECK(error_of([&] { read_model_config(config.dump()); }) ==
        "/vocab_size: not usable; expected a whole number, got none");
}

TEST_CASE("what is no configuration is said so") {
  CHECK(error_of([] { read_model_config("[1, 2]"); }) ==
        "not a model's configuration; expected an object, got an array of 2 numbers");
  CHECK(error_of([] { read_model_config("{}"); }) ==
        "/model_type: not usable; expected the name of a family, got none");
}

}  // namespace
}  // namespace mha
