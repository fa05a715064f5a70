// NumPy's .npy files (format versions 1.0 to 3.0).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "mha/io/file.hpp"
#include "mha/tensor/tensor.hpp"

namespace mha {

// Opens an .npy file as a source with one tensor named "". Floats and integers of every size and
// booleans, both byte orders, C and Fortran order. Every size is checked against the file's length
// before use. Throws Error(kInput).
std::unique_ptr<TensorSource> open_npy(const FileBytes& file);

bool looks_like_npy(std::span<const unsigned char> bytes);

// The header of a little-endian float32 array in C order; the raw floats follow it.
std::string npy_header(const Shape& shape);

}  // namespace mha
