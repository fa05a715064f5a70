// The header of an .npy file, and its elements as floats; for files alone and members of .npz.
#pragma once

#include <cstddef>
#include <span>

#include "mha/tensor/tensor.hpp"

namespace mha {

struct NpyHeader {
  DType dtype = DType::kF32;
  bool swap_bytes = false;
  bool fortran_order = false;
  Shape shape;
  std::size_t data_offset = 0;  // the header's own length
  std::size_t count = 0;        // elements; count * dtype_size + data_offset is the file's length
};

// The most bytes that a header can have before the data. Longer ones are refused: it is too much
// for the element types that are read.
constexpr std::size_t kLongestNpyHeader = 65536 + 12;

// Reads the header from the first bytes of a file of `file_size` bytes, of which at least
// min(file_size, kLongestNpyHeader) must be there, and checks that the data fill the rest of the
// file exactly. Throws Error(kInput).
NpyHeader read_npy_header(std::span<const unsigned char> start, std::size_t file_size);

// `count` elements of the file's type and byte order as floats, in the order of the file.
void convert_npy(const NpyHeader& header, const unsigned char* bytes, std::size_t count,
                 float* out);

// The elements of a whole file in row-major order.
FloatVector in_row_order(const NpyHeader& header, FloatVector data);

}  // namespace mha
