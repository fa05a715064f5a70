// NumPy's .npz files: a zip archive of .npy files.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mha/io/file.hpp"
#include "mha/tensor/tensor.hpp"

namespace mha {

// Opens an archive whose members "x.npy" are the tensors "x", stored or deflated. The directory and
// the members' headers are checked here; a member is decoded and its checksum verified each time it
// is read, by any number of threads. A member cannot become larger than its header says. Throws
// Error(kInput).
std::unique_ptr<TensorSource> open_npz(const FileBytes& file);

// Whether the bytes start like a zip archive.
bool looks_like_zip(std::span<const unsigned char> bytes);

// Whether a zip archive holds a pickle, as those of torch.save() do. False for broken archives.
bool is_zip_with_pickle(const FileBytes& file);

// An array to be written: data in row-major order.
struct NamedArray {
  std::string name;
  Shape shape;
  std::span<const float> data;
};

// Writes an uncompressed .npz of float32 arrays, the same bytes for the same arrays. Throws
// Error(kOutput).
void write_npz(const std::string& path, const std::vector<NamedArray>& arrays);

}  // namespace mha
