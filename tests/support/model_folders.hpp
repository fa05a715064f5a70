// Small model folders written by tests: GPT-2 and BERT of a few numbers, with tokenizers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/raw_files.hpp"
#include "support/scratch.hpp"

namespace mha::test {

using TensorShapes = std::vector<std::pair<std::string, std::vector<std::size_t>>>;

// A safetensors file of float32; the numbers follow from `seed` and are small.
inline std::string random_safetensors(const TensorShapes& tensors, std::uint32_t seed = 1) {
  nlohmann::json header = nlohmann::json::object();
  std::string data;
  for (const auto& [name, shape] : tensors) {
    std::size_t count = 1;
    for (const std::size_t n : shape) count *= n;
    const std::size_t begin = data.size();
    for (std::size_t i = 0; i < count; ++i) {
      seed = seed * 1664525U + 1013904223U;
      data += little_endian(static_cast<float>(seed >> 8) / 16777216.0F - 0.5F);
    }
    header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, data.size()}}};
  }
  return safetensors_file(header.dump(), data);
}

// BERT with 2 layers of 2 heads, d_model 8, 16 ids, 12 positions and 2 token types.
inline nlohmann::json tiny_bert_config() {
  return {{"model_type", "bert"}, {"num_hidden_layers", 2},  {"num_attention_heads", 2},
          {"hidden_size", 8},     {"intermediate_size", 16}, {"max_position_embeddings", 12},
          {"type_vocab_size", 2}, {"vocab_size", 16},        {"layer_norm_eps", 1e-12},
          {"hidden_act", "gelu"}};
}

inline TensorShapes tiny_bert_tensors() {
  TensorShapes out = {{"embeddings.word_embeddings.weight", {16, 8}},
                      {"embeddings.position_embeddings.weight", {12, 8}},
                      {"embeddings.token_type_embeddings.weight", {2, 8}},
                      {"embeddings.LayerNorm.weight", {8}},
                      {"embeddings.LayerNorm.bias", {8}}};
  for (const std::string layer : {"encoder.layer.0.", "encoder.layer.1."}) {
    const auto linear = [&](const char* name, std::size_t n_in, std::size_t n_out) {
      out.push_back({layer + name + ".weight", {n_out, n_in}});
      out.push_back({layer + name + ".bias", {n_out}});
    };
    for (const char* part : {"query", "key", "value"}) {
      linear((std::string("attention.self.") + part).c_str(), 8, 8);
    }
    linear("attention.output.dense", 8, 8);
    linear("intermediate.dense", 8, 16);
    linear("output.dense", 16, 8);
    for (const char* norm : {"attention.output.LayerNorm", "output.LayerNorm"}) {
      out.push_back({layer + norm + ".weight", {8}});
      out.push_back({layer + norm + ".bias", {8}});
    }
  }
  out.push_back({"pooler.dense.weight", {8, 8}});
  return out;
}

// Ids 0 to 15.
inline std::string tiny_bert_vocabulary() {
  return "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\nsat\non\nmat\n##s\nwho\n?\n.\ndog\nran\n";
}

// A folder `name` below `scratch` with that model and vocab.txt; returns its path.
inline std::string write_tiny_bert(const ScratchFolder& scratch, const std::string& name,
                                   std::uint32_t seed = 1) {
  scratch.write(name + "/config.json", tiny_bert_config().dump());
  scratch.write(name + "/model.safetensors", random_safetensors(tiny_bert_tensors(), seed));
  scratch.write(name + "/vocab.txt", tiny_bert_vocabulary());
  return scratch.file(name);
}

}  // namespace mha::test
