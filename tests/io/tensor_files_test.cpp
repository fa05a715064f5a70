#include "mha/io/tensor_files.hpp"

#include <algorithm>
#include <filesystem>

#include "mha/io/npy.hpp"
#include "mha/io/npz.hpp"
#include "mha/io/safetensors.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"
#include "support/zip_files.hpp"

namespace mha {
namespace {

using test::raw_of;
using test::ScratchFolder;

const std::string kNpy = npy_header({2}) + raw_of<float>({1, 2});
const std::string kSafetensors =
    safetensors_header({{"x", DType::kF32, {2}}}) + raw_of<float>({1, 2});
const std::string kIndex = R"({"weight_map": {"x": "x.safetensors"}})";

TensorFileKind kind_of(const std::string& content) {
  const ScratchFolder folder;
  return tensor_file_kind(FileBytes::open(folder.write("file", content), SIZE_MAX));
}

// The complaint about a path in a folder, which reads as DIR.
std::string error_in(const ScratchFolder& folder, const std::string& name = "",
                     std::size_t max_bytes = SIZE_MAX) {
  const std::string path = name.empty() ? folder.path() : folder.file(name);
  std::string message = test::error_of([&] { open_tensor_path(path, max_bytes)->read(0); });
  for (std::size_t at; (at = message.find(folder.path())) != std::string::npos;) {
    message.replace(at, folder.path().size(), "DIR");
  }
  return message;
}

TEST_CASE("files of tensors are recognised by what is in them") {
  CHECK(kind_of(kNpy) == TensorFileKind::kNpy);
  CHECK(kind_of(kSafetensors) == TensorFileKind::kSafetensors);
  CHECK(kind_of(test::zip_file({{"x.npy", kNpy}})) == TensorFileKind::kNpz);
  CHECK(kind_of(test::zip_file({})) == TensorFileKind::kNpz);
  CHECK(kind_of(test::zip_file({{"model/data.pkl", "x"}, {"model/data/0", "y"}})) ==
        TensorFileKind::kPickle);
  CHECK(kind_of("\x80\x02}q.") == TensorFileKind::kPickle);
  CHECK(kind_of(std::string("\x80\x04\x95\x0b\0\0\0\0\0\0\0", 11)) == TensorFileKind::kPickle);
  CHECK(kind_of("GGUF\3") == TensorFileKind::kGguf);
  CHECK(kind_of(kIndex) == TensorFileKind::kShardIndex);
  CHECK(kind_of("\n {\"metadata\": {}, \"weight_map\" : {}}") == TensorFileKind::kShardIndex);
  CHECK(kind_of("") == TensorFileKind::kNone);
  CHECK(kind_of("hello") == TensorFileKind::kNone);
}

TEST_CASE("documents are no tensor files, whatever words they hold") {
  CHECK(kind_of(R"({"text": "a cat"})") == TensorFileKind::kNone);
  CHECK(kind_of(R"({"tokens": ["weight_map", "b"]})") == TensorFileKind::kNone);
  CHECK(kind_of(R"({"text": "{\"weight_map\": {}}"})") == TensorFileKind::kNone);
  CHECK(kind_of("        {\"text\": \"a cat\"}") == TensorFileKind::kNone);
}

TEST_CASE("a safetensors header of 640 bytes starts like a pickle and is none") {
  std::string header = R"({"x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})";
  header.resize(0x280, ' ');
  const std::string file = test::safetensors_file(header, "");
  REQUIRE(file[0] == '\x80');
  CHECK(kind_of(file) == TensorFileKind::kSafetensors);
  CHECK(kind_of(file.substr(0, 200)) == TensorFileKind::kSafetensors);
}

TEST_CASE("a file is opened as what its content says, with the path in front of messages") {
  const ScratchFolder folder;
  CHECK(open_tensor_path(folder.write("wrong.npz", kNpy), SIZE_MAX)->tensors()[0].name.empty());
  CHECK(open_tensor_path(folder.write("wrong.npy", kSafetensors), SIZE_MAX)->tensors()[0].name ==
        "x");
  folder.write("damaged.npy", "no array");
  CHECK(error_in(folder, "damaged.npy") == "DIR/damaged.npy: not an npy file");
  folder.write("damaged.npz", "no archive");
  CHECK(error_in(folder, "damaged.npz") ==
        "DIR/damaged.npz: is no zip archive; expected an .npz file");
  folder.write("text", "hello");
  CHECK(error_in(folder, "text") ==
        "DIR/text: is not a tensor file; expected .safetensors, .npz, .npy or an index of shards");
  folder.write("empty", "");
  CHECK(error_in(folder, "empty") ==
        "DIR/empty: is empty; expected a .safetensors, .npz or .npy file");
  CHECK(error_in(folder, "none.npy") ==
        "DIR/none.npy: cannot be opened: No such file or directory");
  folder.write("x.gguf", "GGUF");
  CHECK(error_in(folder, "x.gguf") ==
        "DIR/x.gguf: is a GGUF file, which is not read yet; expected .safetensors, .npz or .npy");
}

TEST_CASE("a pickle is refused with the lines that convert it") {
  const ScratchFolder folder;
  const std::string message =
      ": is a pickle, which can run code when it is read; expected .safetensors, .npz or .npy\n"
      "hint: convert it where you trust it: import torch; from safetensors.torch import save_file; "
      "save_file(torch.load(\"";
  folder.write("old.bin", "\x80\x02}q.");
  CHECK(error_in(folder, "old.bin") ==
        "DIR/old.bin" + message + "old.bin\"), \"old.safetensors\")");
  folder.write("new.pt", test::zip_file({{"archive/data.pkl", "x"}}));
  CHECK(error_in(folder, "new.pt") == "DIR/new.pt" + message + "new.pt\"), \"new.safetensors\")");
  folder.write("text.pth", "(lp0\nI1\na.");
  CHECK(error_in(folder, "text.pth").starts_with("DIR/text.pth: is a pickle"));
}

TEST_CASE("bytes that were opened elsewhere are called by the name they were given") {
  const ScratchFolder folder;
  const FileBytes good = FileBytes::open(folder.write("a", kNpy), SIZE_MAX);
  CHECK(open_tensor_bytes(good, "standard input", SIZE_MAX)->read(0).data[1] == 2);
  const FileBytes bad = FileBytes::open(folder.write("b", kNpy + "x"), SIZE_MAX);
  CHECK(test::error_of([&] {
          open_tensor_bytes(bad, "standard input", SIZE_MAX);
        }).starts_with("standard input: the array has the wrong number of bytes"));
}

TEST_CASE("a folder stands for the one file that holds its tensors") {
  const ScratchFolder folder;
  folder.write("config.json", "{}");
  folder.write(".hidden.npy", kNpy);
  folder.write("x.npy", kNpy);
  const auto first_name = [&] {
    return open_tensor_path(folder.path(), SIZE_MAX)->tensors()[0].name;
  };
  CHECK(first_name().empty());
  folder.write("x.safetensors", kSafetensors);
  CHECK(error_in(folder) ==
        "DIR: holds several tensor files; expected one, got x.npy, x.safetensors\n"
        "hint: name the file");
  folder.write("model.safetensors",
               safetensors_header({{"m", DType::kF32, {2}}}) + raw_of<float>({1, 2}));
  CHECK(first_name() == "m");
  folder.write("model.safetensors.index.json", kIndex);
  CHECK(first_name() == "x");
}

TEST_CASE("an index of another name is enough, and one of pickles is not taken") {
  const ScratchFolder folder;
  folder.write("x.safetensors", kSafetensors);
  folder.write("y.safetensors", kSafetensors);
  folder.write("pytorch_model.bin.index.json", R"({"weight_map": {"x": "x.bin"}})");
  CHECK(error_in(folder).starts_with("DIR: holds several tensor files"));
  folder.write("other.index.json", kIndex);
  CHECK(open_tensor_path(folder.path(), SIZE_MAX)->tensors()[0].name == "x");
  folder.write("second.index.json", kIndex);
  CHECK(error_in(folder) ==
        "DIR: holds several tensor files; expected one, got other.index.json, second.index.json\n"
        "hint: name the file");
}

TEST_CASE("a folder without tensors lists what is there") {
  const ScratchFolder folder;
  CHECK(error_in(folder) ==
        "DIR: holds no tensor file; expected .safetensors, .npz or .npy, got nothing");
  folder.write("config.json", "{}");
  folder.write("pytorch_model.bin", "x");
  CHECK(error_in(folder) ==
        "DIR: holds no tensor file; expected .safetensors, .npz or .npy, got config.json, "
        "pytorch_model.bin\nhint: pickles (.bin, .pt) are not read; save the tensors with "
        "safetensors.torch.save_file");
}

TEST_CASE("floats of a mapped file can be copied from the page cache, whatever wraps the file") {
  const ScratchFolder folder;
  std::vector<float> values(std::size_t{1} << 19);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const std::string raw(reinterpret_cast<const char*>(values.data()), 4 * values.size());
  const std::size_t n = values.size();
  const std::string npy = folder.write("x.npy", npy_header({n}) + raw);
  folder.write("x.safetensors", safetensors_header({{"x", DType::kF32, {n}}}) + raw);
  folder.write("model.safetensors.index.json", kIndex);
  for (const std::string& path :
       {npy, folder.file("x.safetensors"), folder.file("model.safetensors.index.json")}) {
    INFO(path);
    const auto source = open_tensor_path(path, SIZE_MAX);
    const FloatCopier* copier = source->copier(0);
    REQUIRE(copier != nullptr);
    std::vector<float> copy(1000);
    copier->copy(source->floats(0).data() + 12345, copy);
    CHECK(copy == std::vector<float>(values.begin() + 12345, values.begin() + 13345));
    // All of them, an odd number, in pieces on several threads.
    const FloatStorage odd = load_floats(source, 0).part(1, n - 2);
    for (const std::size_t n_threads : {1, 3}) {
      const FloatStorage kept = odd.in_memory(n_threads);
      CHECK(kept.data() != odd.data());
      CHECK(std::ranges::equal(kept.span(), odd.span()));
    }
  }
}

TEST_CASE("a tensor larger than the memory allowed is refused, a mapped file is not") {
  const ScratchFolder folder;
  const std::string large(std::size_t{2} << 20, '\0');
  folder.write("f4.npy", npy_header({std::size_t{1} << 19}) + large);
  CHECK(error_in(folder, "f4.npy", 1000) ==
        "the array is larger than the memory allowed; expected at most 1000 bytes, got "
        "2.0 MiB as float32\nhint: raise --memory");
  const auto mapped = open_tensor_path(folder.file("f4.npy"), 1000);
  CHECK(mapped->floats(0).size() == std::size_t{1} << 19);
  const std::string member = npy_header({std::size_t{1} << 19}) + large;
  folder.write("bomb.npz", test::zip_file({{"x.npy", member, true}}));
  CHECK(error_in(folder, "bomb.npz", 1000000) ==
        "tensor 'x' is larger than the memory allowed; expected at most 976.6 KiB, "
        "got 2.0 MiB as float32\nhint: raise --memory");
}

}  // namespace
}  // namespace mha
