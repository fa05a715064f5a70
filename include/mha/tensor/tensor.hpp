// Arrays of any rank, and the interface of everything that holds named arrays (safetensors, npy).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mha/tensor/matrix.hpp"
#include "mha/tensor/storage.hpp"

namespace mha {

using Shape = std::vector<std::size_t>;

// Row-major floats of any rank; data.size() is the product of shape.
struct Tensor {
  Shape shape;
  FloatVector data;
};

// A tensor as a matrix: all leading axes together are the rows, the last axis is
// the columns. A tensor of rank 1 is one row.
ConstMatrix as_matrix(const Tensor& tensor);

// Element types that files may hold. Everything becomes float32 on reading.
enum class DType { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU64, kU32, kU16, kU8, kBool };

std::size_t dtype_size(DType dtype);
std::string_view dtype_name(DType dtype);  // "F32", "BF16", ...

// Turns `count` little-endian elements at `bytes` into floats.
void convert_to_float(DType dtype, const unsigned char* bytes, std::size_t count, float* out);

// The same as a view without conversion: `count` float32 at `bytes`, or empty when they are not
// aligned.
std::span<const float> floats_in_place(const unsigned char* bytes, std::size_t count);

struct TensorInfo {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
};

// A file that holds named arrays.
class TensorSource {
 public:
  virtual ~TensorSource() = default;
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  // Reads tensors()[index] as float32.
  virtual Tensor read(std::size_t index) const = 0;
  // Elements [first, first + count) of tensors()[index] in row-major order, as float32.
  virtual void read_part(std::size_t index, std::size_t first, std::size_t count, float* out) const;
  // The elements of tensors()[index] where they stand, when the file holds them as aligned
  // little-endian float32 in row-major order; else empty. Valid as long as this source.
  virtual std::span<const float> floats(std::size_t index) const {
    return (void)index, std::span<const float>();
  }
  // Who copies what floats() gives faster than it is read where it stands; else null.
  virtual const FloatCopier* copier(std::size_t index) const = 0;
  // What a person should know about the file: parts that were left out.
  virtual std::vector<std::string> notes() const { return {}; }
};

// tensors()[index] without a copy where the source has it in place; keeps the source alive.
FloatStorage load_floats(const std::shared_ptr<const TensorSource>& source, std::size_t index);

// The tensor called `name`; throws Error(kInput) with a spelling suggestion when there is none.
Tensor read_tensor(const TensorSource& source, std::string_view name);

}  // namespace mha
