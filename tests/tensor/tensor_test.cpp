#include "mha/tensor/tensor.hpp"

#include <cstdint>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/raw_files.hpp"

namespace mha {
namespace {

using test::raw_of;

std::vector<float> converted(DType dtype, const std::string& raw) {
  std::vector<float> out(raw.size() / dtype_size(dtype));
  convert_to_float(dtype, reinterpret_cast<const unsigned char*>(raw.data()), out.size(),
                   out.data());
  return out;
}

TEST_CASE("every element type becomes float32") {
  using Floats = std::vector<float>;
  CHECK(converted(DType::kF64, raw_of<double>({0.1, -2})) == Floats{0.1F, -2});
  CHECK(converted(DType::kF32, raw_of<float>({0.1F, -2})) == Floats{0.1F, -2});
  CHECK(converted(DType::kF16, raw_of<std::uint16_t>({0x3C00, 0xC000})) == Floats{1, -2});
  CHECK(converted(DType::kBF16, raw_of<std::uint16_t>({0x3F80, 0xC000})) == Floats{1, -2});
  CHECK(converted(DType::kI64, raw_of<std::int64_t>({-5, 1ll << 40})) == Floats{-5, 0x1p40F});
  CHECK(converted(DType::kI32, raw_of<std::int32_t>({-5, 7})) == Floats{-5, 7});
  CHECK(converted(DType::kI16, raw_of<std::int16_t>({-5, 7})) == Floats{-5, 7});
  CHECK(converted(DType::kI8, raw_of<std::int8_t>({-5, 7})) == Floats{-5, 7});
  CHECK(converted(DType::kU64, raw_of<std::uint64_t>({5, 1ull << 63})) == Floats{5, 0x1p63F});
  CHECK(converted(DType::kU32, raw_of<std::uint32_t>({5, 4000000000u})) == Floats{5, 4e9F});
  CHECK(converted(DType::kU16, raw_of<std::uint16_t>({5, 65535})) == Floats{5, 65535});
  CHECK(converted(DType::kU8, raw_of<std::uint8_t>({5, 255})) == Floats{5, 255});
  CHECK(converted(DType::kBool, raw_of<std::uint8_t>({0, 1, 2})) == Floats{0, 1, 1});
  CHECK(converted(DType::kF32, "").empty());
}

TEST_CASE("a tensor is a matrix of its last axis") {
  Tensor tensor{{2, 3, 4}, FloatVector(24)};
  CHECK(as_matrix(tensor).rows == 6);
  CHECK(as_matrix(tensor).cols == 4);
  tensor = {{5}, FloatVector(5)};
  CHECK(as_matrix(tensor).rows == 1);
  CHECK(as_matrix(tensor).cols == 5);
  tensor = {{}, FloatVector(1)};
  CHECK(as_matrix(tensor).rows == 1);
  CHECK(as_matrix(tensor).cols == 1);
  tensor = {{3, 0}, {}};
  CHECK(as_matrix(tensor).rows == 0);
}

// A source with these names, whose tensors hold their own index.
class Named : public TensorSource {
 public:
  explicit Named(const std::vector<std::string>& names) {
    for (const std::string& name : names) infos_.push_back({name, DType::kF32, {1}});
  }
  const std::vector<TensorInfo>& tensors() const override { return infos_; }
  const FloatCopier* copier(std::size_t) const override { return nullptr; }
  Tensor read(std::size_t index) const override {
    return {{1}, FloatVector(1, static_cast<float>(index))};
  }

 private:
  std::vector<TensorInfo> infos_;
};

TEST_CASE("a tensor is found by its name, and a wrong name gets a suggestion") {
  const Named source({"h.0.attn.q", "h.0.attn.k", "wte"});
  CHECK(read_tensor(source, "wte").data[0] == 2);
  CHECK(test::error_of([&] { read_tensor(source, "h.0.attn.v"); }) ==
        "no tensor named 'h.0.attn.v'\nhint: did you mean 'h.0.attn.q'?");
  CHECK(test::error_of([&] { read_tensor(source, "lm_head"); }) ==
        "no tensor named 'lm_head'\nhint: it has h.0.attn.q, h.0.attn.k, wte");
  CHECK(test::error_of([&] { read_tensor(source, ""); }) ==
        "holds several tensors, and no name says which\nhint: it has h.0.attn.q, h.0.attn.k, wte");
}

TEST_CASE("a long list of names is cut in the hint") {
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back("block." + std::to_string(100 + i));
  CHECK(test::error_of([&] { read_tensor(Named(names), "x"); }) ==
        "no tensor named 'x'\nhint: it has block.100, block.101, block.102, block.103, block.104, "
        "block.105, block.106, block.107, ...");
}

}  // namespace
}  // namespace mha
