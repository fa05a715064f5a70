#include "mha/tensor/tensor.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/half.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read as little-endian");

template <typename T, typename Convert>
void convert_each(const unsigned char* bytes, std::size_t count, float* out, Convert convert) {
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    out[i] = convert(value);
  }
}

template <typename T>
void convert_numbers(const unsigned char* bytes, std::size_t count, float* out) {
  convert_each<T>(bytes, count, out, [](T value) { return static_cast<float>(value); });
}

}  // namespace

ConstMatrix as_matrix(const Tensor& tensor) {
  if (tensor.shape.empty()) return {tensor.data.data(), 1, 1, 1};
  const std::size_t cols = tensor.shape.back();
  const std::size_t rows = cols == 0 ? 0 : tensor.data.size() / cols;
  return {tensor.data.data(), rows, cols, cols};
}

std::size_t dtype_size(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kI64:
    case DType::kU64:
      return 8;
    case DType::kF32:
    case DType::kI32:
    case DType::kU32:
      return 4;
    case DType::kF16:
    case DType::kBF16:
    case DType::kI16:
    case DType::kU16:
      return 2;
    case DType::kI8:
    case DType::kU8:
    case DType::kBool:
      return 1;
  }
  throw Error(ErrorKind::kInternal, "unknown element type");
}

std::string_view dtype_name(DType dtype) {
  static constexpr std::string_view kNames[] = {"F64", "F32", "F16", "BF16", "I64", "I32", "I16",
                                                "I8",  "U64", "U32", "U16",  "U8",  "BOOL"};
  return kNames[static_cast<std::size_t>(dtype)];
}

void convert_to_float(DType dtype, const unsigned char* bytes, std::size_t count, float* out) {
  if (count == 0) return;  // then the pointers may be null
  switch (dtype) {
    case DType::kF64:
      return convert_numbers<double>(bytes, count, out);
    case DType::kF32:
      std::memcpy(out, bytes, count * sizeof(float));
      return;
    case DType::kF16:
      return convert_each<std::uint16_t>(bytes, count, out, half_to_float);
    case DType::kBF16:
      return convert_each<std::uint16_t>(bytes, count, out, bfloat16_to_float);
    case DType::kI64:
      return convert_numbers<std::int64_t>(bytes, count, out);
    case DType::kI32:
      return convert_numbers<std::int32_t>(bytes, count, out);
    case DType::kI16:
      return convert_numbers<std::int16_t>(bytes, count, out);
    case DType::kI8:
      return convert_numbers<std::int8_t>(bytes, count, out);
    case DType::kU64:
      return convert_numbers<std::uint64_t>(bytes, count, out);
    case DType::kU32:
      return convert_numbers<std::uint32_t>(bytes, count, out);
    case DType::kU16:
      return convert_numbers<std::uint16_t>(bytes, count, out);
    case DType::kU8:
      return convert_numbers<std::uint8_t>(bytes, count, out);
    case DType::kBool:
      return convert_each<std::uint8_t>(
          bytes, count, out, [](std::uint8_t value) { return value != 0 ? 1.0F : 0.0F; });
  }
  throw Error(ErrorKind::kInternal, "unknown element type");
}

std::span<const float> floats_in_place(const unsigned char* bytes, std::size_t count) {
  if (reinterpret_cast<std::uintptr_t>(bytes) % alignof(float) != 0) return {};
  return {reinterpret_cast<const float*>(bytes), count};
}

void TensorSource::read_part(std::size_t index, std::size_t first, std::size_t count,
                             float* out) const {
  const Tensor whole = read(index);
  std::copy_n(whole.data.begin() + static_cast<std::ptrdiff_t>(first), count, out);
}

FloatStorage FloatStorage::in_memory(std::size_t n_threads) const {
  if (copier_ == nullptr) return *this;
  constexpr std::size_t kAtOnce = std::size_t{1} << 18;
  FloatVector copy(data_.size());
  const std::span<float> to(copy);
  parallel_for(ceil_div(to.size(), kAtOnce), n_threads, [&](std::size_t item, std::size_t) {
    const std::size_t first = item * kAtOnce;
    copier_->copy(data_.data() + first, to.subspan(first, std::min(kAtOnce, to.size() - first)));
  });
  return FloatStorage(std::move(copy));
}

FloatStorage load_floats(const std::shared_ptr<const TensorSource>& source, std::size_t index) {
  const std::span<const float> in_place = source->floats(index);
  if (!in_place.empty()) return {in_place, source, source->copier(index)};
  return FloatStorage(source->read(index).data);
}

Tensor read_tensor(const TensorSource& source, std::string_view name) {
  const std::vector<TensorInfo>& infos = source.tensors();
  const auto found = std::find_if(infos.begin(), infos.end(),
                                  [name](const TensorInfo& info) { return info.name == name; });
  if (found == infos.end()) {
    std::vector<std::string> names;
    for (const TensorInfo& info : infos) names.push_back(info.name);
    std::string hint = spelling_hint(name, names);
    if (hint.empty() && !names.empty()) {
      constexpr std::size_t kShown = 8;
      const bool is_long = names.size() > kShown;
      if (is_long) names.resize(kShown);
      hint = "it has " + join(names, ", ") + (is_long ? ", ..." : "");
    }
    fail_input(name.empty() ? "holds several tensors, and no name says which"
                            : concat("no tensor named '", name, "'"),
               hint);
  }
  return source.read(static_cast<std::size_t>(found - infos.begin()));
}

}  // namespace mha
