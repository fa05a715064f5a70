// The .safetensors format: an 8-byte little-endian header length, a JSON header that names each
// tensor with dtype, shape and data_offsets, then the raw data.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "mha/io/file.hpp"
#include "mha/tensor/tensor.hpp"

namespace mha {

// Opens a file of F64 F32 F16 BF16, integer and BOOL tensors. Checks before anything else that the
// header fits the file, that no name is given twice, and that the data ranges match their shapes,
// do not overlap and lie within the file. Throws Error(kInput).
std::unique_ptr<TensorSource> open_safetensors(const FileBytes& file);

// Whether the bytes start like a safetensors file: a length, then an opening brace.
bool looks_like_safetensors(std::span<const unsigned char> bytes);

// The head of a file that holds these tensors, all float32, one after another; the raw floats
// follow it in the same order.
std::string safetensors_header(const std::vector<TensorInfo>& tensors);

}  // namespace mha
