// The toy transformer as part of the library: the assembler copies its files (MHA_MODEL_FOLDER)
// into the read-only data, so that a sentence alone can be run anywhere.
#include <string_view>

#include "mha/base/content_hash.hpp"
#include "mha/base/text.hpp"
#include "mha/io/safetensors.hpp"
#include "mha/model/text_model.hpp"

#ifdef __APPLE__
#error "only ELF targets are supported"
#endif

#define MHA_EMBED(symbol, file)              \
  asm(".section .rodata\n"                   \
      ".balign 16\n"                         \
      ".globl " #symbol                      \
      "_begin\n"                             \
      ".hidden " #symbol "_begin\n" #symbol  \
      "_begin:\n"                            \
      ".incbin \"" MHA_MODEL_FOLDER "/" file \
      "\"\n"                                 \
      ".globl " #symbol                      \
      "_end\n"                               \
      ".hidden " #symbol "_end\n" #symbol    \
      "_end:\n"                              \
      ".byte 0\n"                            \
      ".previous\n");                        \
  extern "C" {                               \
  extern const char symbol##_begin[];        \
  extern const char symbol##_end[];          \
  }

MHA_EMBED(mha_toy_config, "config.json")
MHA_EMBED(mha_toy_tokenizer, "tokenizer.json")
MHA_EMBED(mha_toy_weights, "model.safetensors")

namespace mha {
namespace {

std::shared_ptr<const TextModel> open_bundled_model() {
  const auto [config, tokenizer, weights] = bundled_files();
  ContentHash hash;
  for (const std::string_view part : {config, tokenizer, weights}) {
    hash.add(part.data(), part.size());
  }
  auto transformer = Transformer::open(config, open_safetensors(FileBytes::copy(weights)));
  const ModelConfig& sizes = transformer->config();
  return std::make_shared<const TextModel>(
      TextModel{concat("the bundled toy model (", sizes.n_layers, " layers of ", sizes.n_heads,
                       " heads, trained on a small grammar of English)"),
                Tokenizer::from_tokenizer_json(tokenizer, "tokenizer.json of the bundled model"),
                std::move(transformer), hash.value(), "tokenizer.json"});
}

}  // namespace

BundledFiles bundled_files() {
  return {{mha_toy_config_begin, mha_toy_config_end},
          {mha_toy_tokenizer_begin, mha_toy_tokenizer_end},
          {mha_toy_weights_begin, mha_toy_weights_end}};
}

std::shared_ptr<const TextModel> bundled_model() {
  static const std::shared_ptr<const TextModel> kModel = open_bundled_model();
  return kModel;
}

}  // namespace mha
