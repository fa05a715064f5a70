// Opens whatever holds tensors, recognised by content: .npy, .npz, .safetensors, a sharded
// checkpoint's *.index.json, or a folder that holds one of these.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "mha/io/file.hpp"
#include "mha/tensor/tensor.hpp"

namespace mha {

enum class TensorFileKind { kNone, kNpy, kNpz, kSafetensors, kShardIndex, kPickle, kGguf };

// What the first bytes of a file say. kPickle: PyTorch's or Python's pickle, bare or in a zip.
// kPickle and kGguf are recognised to be refused in words.
TensorFileKind tensor_file_kind(const FileBytes& file);

// The same, where a file that is damaged beyond recognition is what its name says.
TensorFileKind tensor_file_kind(const FileBytes& file, const std::string& path);

// Opens a file or folder. `max_bytes` bounds what is read into memory, a file or one tensor of it
// as float32 (mapped files do not count). Throws Error(kInput) with the path in front (the source's
// read() leaves it out); a pickle is refused with the recipe to convert it.
std::shared_ptr<const TensorSource> open_tensor_path(const std::string& path,
                                                     std::size_t max_bytes);

// The same for a file that is open already (standard input); `name` is used in messages, and the
// shards of an index are looked for beside it.
std::shared_ptr<const TensorSource> open_tensor_bytes(const FileBytes& file,
                                                      const std::string& name,
                                                      std::size_t max_bytes);

}  // namespace mha
