// An index of shards, or anything else that tensor_files.hpp recognises, beside two good shards.
#include "mha/io/npz.hpp"
#include "mha/io/safetensors.hpp"
#include "mha/io/tensor_files.hpp"

#include "fuzz/fuzz.hpp"
#include "support/raw_files.hpp"
#include "support/scratch.hpp"

namespace {

const mha::test::ScratchFolder& shards() {
  static const mha::test::ScratchFolder kFolder;
  static const bool kWritten = [] {
    const std::string header = mha::safetensors_header({{"x", mha::DType::kF32, {2}}});
    const std::string data = mha::test::raw_of<float>({1, 2});
    kFolder.write("x.safetensors", header + data);
    kFolder.write("two.safetensors", mha::safetensors_header({{"a", mha::DType::kF32, {1}},
                                                              {"b", mha::DType::kF32, {1}}}) +
                                         data);
    return true;
  }();
  (void)kWritten;
  return kFolder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mha;
  return fuzz::expect_input_error([&] {
    constexpr std::size_t kMemory = std::size_t{1} << 26;
    fuzz::read_everything(*open_tensor_bytes(FileBytes::copy(fuzz::text_of(data, size)),
                                             shards().file("model.index.json"), kMemory));
  });
}
