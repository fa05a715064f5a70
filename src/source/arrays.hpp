// Arrays of a document: written inline, or named in a .safetensors or .npy file.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mha/base/content_hash.hpp"
#include "mha/io/json.hpp"
#include "mha/tensor/tensor.hpp"

namespace mha {

class ArrayLoader {
 public:
  ArrayLoader(std::string folder, std::size_t max_bytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  // What kind of entry an array may hold besides finite numbers.
  enum class Allow { kNumbers, kNumbersAndNull, kBooleans };

  // Takes the array out of `node` (its storage is moved away), or reads the file it names. In files
  // 0 and 1 of any type serve as booleans. Throws Error(kInput) with the pointer in front.
  Tensor load(JsonNode& node, const std::string& pointer, Allow allow);

  // The source behind a file of the document; opened once.
  const TensorSource& open(const std::string& file, const std::string& pointer);
  // A tensor of such a file, counted into the hash.
  Tensor read(const std::string& file, const std::string& name, const std::string& pointer);

  ContentHash& hash() { return hash_; }

 private:
  std::string folder_;
  std::size_t max_bytes_;
  std::map<std::string, std::unique_ptr<TensorSource>> open_files_;
  ContentHash hash_;
};

// "2 (5x64)": the number of axes and the shape, for messages.
std::string axes_text(const Shape& shape);

// Throws unless the tensor has this rank; `shape` names the axes: "[token][d_model]".
void check_rank(const Tensor& tensor, std::size_t rank, const char* shape,
                const std::string& pointer);

}  // namespace mha
