#include "mha/io/tensor_files.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/npy.hpp"
#include "mha/io/npz.hpp"
#include "mha/io/safetensors.hpp"

#include "shards.hpp"

namespace mha {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexSuffix = ".index.json";
constexpr std::string_view kPickleIndexSuffix = ".bin.index.json";
constexpr std::string_view kPickleSuffixes[] = {".bin", ".ckpt", ".pkl", ".pt", ".pth"};

bool ends_with_any(const std::string& name, std::span<const std::string_view> suffixes) {
  return std::ranges::any_of(suffixes, [&](std::string_view s) { return name.ends_with(s); });
}

// "\x80", then the protocol: how every pickle of the last twenty years starts.
bool looks_like_pickle(std::span<const unsigned char> bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5;
}

// A header length below 2^40, then a brace: safetensors, even when the file was cut. By its length
// alone such a file may look like a pickle.
bool starts_like_safetensors(std::span<const unsigned char> bytes) {
  return bytes.size() > 8 && bytes[8] == '{' && bytes[5] == 0 && bytes[6] == 0 && bytes[7] == 0;
}

[[noreturn]] void refuse_pickle(const std::string& path) {
  const std::string file = fs::path(path).filename().string();
  const std::string stem = fs::path(path).stem().string();
  fail_input("is a pickle, which can run code when it is read; expected .safetensors, .npz or .npy",
             concat("convert it where you trust it: import torch; from safetensors.torch import "
                    "save_file; save_file(torch.load(\"",
                    file, "\"), \"", stem, ".safetensors\")"));
}

// Holds what is read to the memory allowed.
class LimitedSource : public TensorSource {
 public:
  LimitedSource(std::unique_ptr<TensorSource> source, std::size_t max_bytes)
      : source_(std::move(source)), max_bytes_(max_bytes) {}

  const std::vector<TensorInfo>& tensors() const override { return source_->tensors(); }
  std::vector<std::string> notes() const override { return source_->notes(); }
  std::span<const float> floats(std::size_t index) const override { return source_->floats(index); }
  const FloatCopier* copier(std::size_t index) const override { return source_->copier(index); }
  void read_part(std::size_t index, std::size_t first, std::size_t count,
                 float* out) const override {
    source_->read_part(index, first, count, out);
  }
  Tensor read(std::size_t index) const override {
    check_memory(tensors()[index]);
    return source_->read(index);
  }

 private:
  void check_memory(const TensorInfo& info) const {
    const std::size_t size = checked_mul(element_count(info.shape), sizeof(float));
    if (size <= max_bytes_) return;
    const std::string what = info.name.empty() ? "the array" : "tensor '" + info.name + "'";
    fail_input(concat(what, " is larger than the memory allowed; expected at most ",
                      bytes_text(static_cast<double>(max_bytes_)), ", got ",
                      bytes_text(static_cast<double>(size)), " as float32"),
               "raise --memory");
  }

  std::unique_ptr<TensorSource> source_;
  std::size_t max_bytes_;
};

std::unique_ptr<TensorSource> open_kind(TensorFileKind kind, const FileBytes& file,
                                        const std::string& path, std::size_t max_bytes) {
  if (file.bytes().empty()) fail_input("is empty; expected a .safetensors, .npz or .npy file");
  switch (kind) {
    case TensorFileKind::kNpy:
      return open_npy(file);
    case TensorFileKind::kNpz:
      return open_npz(file);
    case TensorFileKind::kSafetensors:
      return open_safetensors(file);
    case TensorFileKind::kShardIndex:
      return open_shards(file, fs::path(path).parent_path().string(), max_bytes);
    case TensorFileKind::kPickle:
      refuse_pickle(path);
    case TensorFileKind::kGguf:
      fail_input("is a GGUF file, which is not read yet; expected .safetensors, .npz or .npy");
    case TensorFileKind::kNone:
      break;
  }
  fail_input("is not a tensor file; expected .safetensors, .npz, .npy or an index of shards");
}

// What stands in a folder, in order, without hidden files.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.')) names.push_back(name);
  }
  if (error) fail_input(concat(folder, ": cannot be read: ", error.message()));
  std::ranges::sort(names);
  return names;
}

std::string listed(std::vector<std::string> names) {
  if (names.empty()) return "nothing";
  constexpr std::size_t kShown = 12;
  const std::size_t n_names = names.size();
  if (n_names > kShown) names.resize(kShown);
  return join(names, ", ") +
         (n_names > kShown ? concat(" and ", n_names - kShown, " more") : std::string());
}

// The one file of a folder that holds its tensors: an index, the usual name of a checkpoint, or
// the only file there is.
std::string tensor_file_of(const std::string& folder) {
  const std::vector<std::string> names = names_in(folder);
  const auto has = [&](std::string_view name) { return std::ranges::count(names, name) > 0; };
  const auto select = [&](auto wanted) {
    std::vector<std::string> out;
    std::ranges::copy_if(names, std::back_inserter(out), wanted);
    return out;
  };
  for (std::string_view usual : {"model.safetensors.index.json", "model.safetensors"}) {
    if (has(usual)) return std::string(usual);
  }
  const std::vector<std::string> indexes = select([](const std::string& name) {
    return name.ends_with(kIndexSuffix) && !name.ends_with(kPickleIndexSuffix);
  });
  if (indexes.size() == 1) return indexes[0];
  constexpr std::string_view kSuffixes[] = {".safetensors", ".npz", ".npy"};
  const std::vector<std::string> files =
      indexes.empty() ? select([&](const auto& n) { return ends_with_any(n, kSuffixes); })
                      : indexes;
  if (files.size() == 1) return files[0];
  if (files.size() > 1) {
    fail_input(concat(folder, ": holds several tensor files; expected one, got ", listed(files)),
               "name the file");
  }
  const bool has_pickle =
      std::ranges::any_of(names, [](const auto& n) { return ends_with_any(n, kPickleSuffixes); });
  fail_input(concat(folder, ": holds no tensor file; expected .safetensors, .npz or .npy, got ",
                    listed(names)),
             has_pickle ? "pickles (.bin, .pt) are not read; save the tensors with "
                          "safetensors.torch.save_file"
                        : "");
}

}  // namespace

TensorFileKind tensor_file_kind(const FileBytes& file) {
  const std::span<const unsigned char> bytes = file.bytes();
  if (looks_like_npy(bytes)) return TensorFileKind::kNpy;
  if (looks_like_zip(bytes)) {
    return is_zip_with_pickle(file) ? TensorFileKind::kPickle : TensorFileKind::kNpz;
  }
  if (starts_like_safetensors(bytes) || looks_like_safetensors(bytes)) {
    return TensorFileKind::kSafetensors;
  }
  if (looks_like_pickle(bytes)) return TensorFileKind::kPickle;
  if (file.text().starts_with("GGUF")) return TensorFileKind::kGguf;
  if (looks_like_shard_index(file.text())) return TensorFileKind::kShardIndex;
  return TensorFileKind::kNone;
}

TensorFileKind tensor_file_kind(const FileBytes& file, const std::string& path) {
  const TensorFileKind kind = tensor_file_kind(file);
  if (kind != TensorFileKind::kNone) return kind;
  if (path.ends_with(".npy")) return TensorFileKind::kNpy;
  if (path.ends_with(".npz")) return TensorFileKind::kNpz;
  if (path.ends_with(".safetensors")) return TensorFileKind::kSafetensors;
  if (path.ends_with(kIndexSuffix)) return TensorFileKind::kShardIndex;
  if (path.ends_with(".gguf")) return TensorFileKind::kGguf;
  constexpr std::string_view kAlwaysPickle[] = {".pkl", ".pt", ".pth"};
  return ends_with_any(path, kAlwaysPickle) ? TensorFileKind::kPickle : TensorFileKind::kNone;
}

std::shared_ptr<const TensorSource> open_tensor_path(const std::string& path,
                                                     std::size_t max_bytes) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return open_tensor_path((fs::path(path) / tensor_file_of(path)).string(), max_bytes);
  }
  return open_tensor_bytes(FileBytes::map(path, max_bytes), path, max_bytes);
}

std::shared_ptr<const TensorSource> open_tensor_bytes(const FileBytes& file,
                                                      const std::string& name,
                                                      std::size_t max_bytes) {
  try {
    return std::make_shared<LimitedSource>(
        open_kind(tensor_file_kind(file, name), file, name, max_bytes), max_bytes);
  } catch (const Error& error) {
    // A line and a column of an index join the path: PATH:LINE:COLUMN.
    const std::string message = error.what();
    const bool has_position = !message.empty() && message[0] >= '0' && message[0] <= '9';
    throw Error(error.kind(), name + (has_position ? ":" : ": ") + message, error.hint());
  }
}

}  // namespace mha
