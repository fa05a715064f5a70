// Arrays in files: what a document says with a file is what it says with numbers.
#include "mha/io/safetensors.hpp"

#include "support/documents.hpp"
#include "support/raw_files.hpp"
#include "support/scratch.hpp"

namespace mha {
namespace {

using test::open_text;
using test::raw_of;
using test::weights_of;

constexpr const char* kInline =
    R"({"embeddings": [[1,2],[3,-1]], "attention": {"n_heads": 1}, "weights": {)"
    R"("W_Q": [[1,2],[3,4]], "W_K": [[5,6],[7,8]], "W_V": [[1,0],[0,2]], "W_O": [[1,1],[0,1]],)"
    R"("b_K": [1,-1]}})";

// The weights of kInline under other names.
std::string tensor_file(bool transposed) {
  const std::string header = safetensors_header({{"attn.q", DType::kF32, {2, 2}},
                                                 {"attn.k", DType::kF32, {2, 2}},
                                                 {"attn.v", DType::kF32, {2, 2}},
                                                 {"attn.o", DType::kF32, {2, 2}},
                                                 {"attn.k.bias", DType::kF32, {2}}});
  if (transposed) {
    return header + raw_of<float>({1, 3, 2, 4, 5, 7, 6, 8, 1, 0, 0, 2, 1, 0, 1, 1, 1, -1});
  }
  return header + raw_of<float>({1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 0, 2, 1, 1, 0, 1, 1, -1});
}

const std::string kNames =
    R"("names": {"W_Q": "attn.q", "W_K": "attn.k", "W_V": "attn.v", "W_O": "attn.o",)"
    R"( "b_K": "attn.k.bias"})";

void check_same(const OpenedInput& a, const OpenedInput& b) {
  CHECK(weights_of(a) == weights_of(b));
  CHECK(test::outputs_of(a) == test::outputs_of(b));
}

TEST_CASE("weights from a safetensors file with names mapped equal the inline ones") {
  const test::ScratchFolder folder;
  folder.write("layer.safetensors", tensor_file(false));
  const std::string document =
      R"({"embeddings": [[1,2],[3,-1]], "attention": {"n_heads": 1}, "weights": {"file": )"
      R"("layer.safetensors", )" +
      kNames + "}}";
  check_same(open_text(document, folder.path()), open_text(kInline));
}

TEST_CASE("the layout out_in reads each matrix transposed") {
  const test::ScratchFolder folder;
  folder.write("layer.safetensors", tensor_file(true));
  const std::string document =
      R"({"embeddings": [[1,2],[3,-1]], "attention": {"n_heads": 1}, "weights": {"file": )"
      R"("layer.safetensors", "layout": "out_in", )" +
      kNames + "}}";
  check_same(open_text(document, folder.path()), open_text(kInline));
  const std::string inline_transposed =
      R"({"embeddings": [[1,2],[3,-1]], "attention": {"n_heads": 1}, "weights": {)"
      R"("layout": "out_in", "W_Q": [[1,3],[2,4]], "W_K": [[5,7],[6,8]], "W_V": [[1,0],[0,2]],)"
      R"("W_O": [[1,0],[1,1]], "b_K": [1,-1]}})";
  check_same(open_text(inline_transposed), open_text(kInline));
}

TEST_CASE("tensors called W_Q, W_K, W_V need no names") {
  const test::ScratchFolder folder;
  folder.write("w.safetensors", safetensors_header({{"W_Q", DType::kF32, {2, 2}},
                                                    {"W_K", DType::kF32, {2, 2}},
                                                    {"W_V", DType::kF32, {2, 2}}}) +
                                    raw_of<float>({1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 0, 2}));
  const OpenedInput from_file =
      open_text(R"({"embeddings": [[1,2],[3,-1]], "attention": {"n_heads": 2},)"
                R"( "weights": {"file": "w.safetensors"}})",
                folder.path());
  const OpenedInput inline_weights =
      open_text(R"({"embeddings": [[1,2],[3,-1]], "attention": {"n_heads": 2}, "weights": {)"
                R"("W_Q": [[1,2],[3,4]], "W_K": [[5,6],[7,8]], "W_V": [[1,0],[0,2]]}})");
  check_same(from_file, inline_weights);
}

TEST_CASE("embeddings, masks and biases may stand in npy files of any type") {
  const test::ScratchFolder folder;
  folder.write("x.npy",
               test::npy_of(">f8", "(2, 2)", test::swapped(raw_of<double>({1, 2, 3, -1}), 8)));
  folder.write("mask.npy", test::npy_of("|b1", "(2, 2)", std::string("\1\0\1\1", 4)));
  folder.write("bias.npy", test::npy_of("<i4", "(2, 2)", raw_of<std::int32_t>({0, 0, 1, 0})));
  const OpenedInput from_files =
      open_text(R"({"embeddings": {"file": "x.npy"}, "attention": {"mask": {"file": "mask.npy"},)"
                R"( "bias": {"file": "bias.npy"}}})",
                folder.path());
  const OpenedInput inline_arrays = open_text(
      R"({"embeddings": [[1,2],[3,-1]], "attention": {"mask": [[true,false],[true,true]],)"
      R"( "bias": [[0,0],[1,0]]}})");
  check_same(from_files, inline_arrays);
  CHECK(from_files.tokens == std::vector<std::string>{"0", "1"});
}

TEST_CASE("attention weights may stand in a file") {
  const test::ScratchFolder folder;
  folder.write("a.npy", test::npy_of("<f4", "(1, 1, 2, 2)", raw_of<float>({1, 0, 0.25F, 0.75F})));
  const OpenedInput input = open_text(R"({"attention_weights": {"file": "a.npy"}})", folder.path());
  CHECK(weights_of(input) == std::vector<float>{1, 0, 0.25F, 0.75F});
}

TEST_CASE("an absolute path is taken as it is") {
  const test::ScratchFolder folder;
  const std::string path =
      folder.write("x.npy", test::npy_of("<f4", "(1, 2)", raw_of<float>({1, 2})));
  CHECK(open_text(R"({"embeddings": {"file": ")" + path + "\"}}", "/nowhere").tokens.size() == 1);
}

TEST_CASE("the hash of an input changes with the document and with its array files") {
  const test::ScratchFolder folder;
  const auto hash = [&](const std::string& document) {
    return open_text(document, folder.path()).hash;
  };
  folder.write("x.npy", test::npy_of("<f4", "(1, 2)", raw_of<float>({1, 2})));
  const std::string document = R"({"embeddings": {"file": "x.npy"}})";
  const std::uint64_t first = hash(document);
  CHECK(hash(document) == first);
  CHECK(hash(document + " ") != first);
  folder.write("x.npy", test::npy_of("<f4", "(1, 2)", raw_of<float>({1, 3})));
  CHECK(hash(document) != first);
}

}  // namespace
}  // namespace mha
