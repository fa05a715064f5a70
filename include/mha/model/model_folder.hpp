// Models as Hugging Face's libraries save them: a folder with config.json, the weights in
// model.safetensors (or in shards with model.safetensors.index.json), and the tokenizer.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "mha/io/file.hpp"
#include "mha/model/text_model.hpp"

namespace mha {

// Where the parts of a model are.
struct ModelFolder {
  std::string folder;
  std::string name;  // the last part of the folder's path
  std::string config_path;
  std::string weights_path;
};

// Whether a path is a folder with a config.json that names a family of models, or that file.
bool is_model_folder(const std::string& path);

// Finds the parts; `path` is the folder, its config.json or one of its files of tensors. Throws
// Error(kInput) when there is nothing, no config.json, or nothing but pickles or GGUF.
ModelFolder find_model_folder(const std::string& path);

// Its config.json. Throws Error(kInput) with the path of the file in front.
ModelConfig read_config_file(const ModelFolder& place);

// Opens a model. Weights are mapped; nothing of them is read that the transformer does not keep, so
// the hash covers config.json, the tokenizer's files, and of each file of weights its length, its
// first 64 KiB and samples of the rest. `max_bytes` bounds what is read into memory. Throws
// Error(kInput) with the path of the file in front.
std::shared_ptr<const TextModel> open_text_model(const std::string& path, std::size_t max_bytes);

}  // namespace mha
