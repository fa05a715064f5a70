// Checkpoints in several safetensors files with an index: {"weight_map": {tensor: file, ...}}.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "mha/io/file.hpp"
#include "mha/tensor/tensor.hpp"

namespace mha {

// Whether a text is such an index.
bool looks_like_shard_index(std::string_view text);

// Opens the tensors that the index names, in its order, from the files that it names; these stand
// in `folder` or below. Other files are not looked at; tensors that only a shard's header names are
// left out and noted. Throws Error(kInput).
std::unique_ptr<TensorSource> open_shards(const FileBytes& index, const std::string& folder,
                                          std::size_t max_bytes);

}  // namespace mha
