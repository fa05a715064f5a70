#include "mha/model/model_folder.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <vector>

#include "mha/base/content_hash.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/json.hpp"
#include "mha/io/tensor_files.hpp"

#include "families.hpp"
#include "tokenizer_folder.hpp"

namespace mha {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.json";
constexpr const char* kExpected =
    "a folder with config.json and model.safetensors, as Hugging Face's libraries save a model";
constexpr std::size_t kMostConfigBytes = std::size_t{16} << 20;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::string folder_name(const std::string& folder) {
  fs::path path = fs::absolute(folder).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();  // "models/bert/"
  return path.filename().string();
}

// The names of a folder's files with one of these endings, in order.
std::vector<std::string> files_ending(const std::string& folder,
                                      std::initializer_list<std::string_view> endings) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (std::ranges::any_of(endings, [&](auto ending) { return name.ends_with(ending); })) {
      names.push_back(name);
    }
  }
  if (error) fail_input(concat(folder, ": cannot be read: ", error.message()));
  std::ranges::sort(names);
  return names;
}

// The file of a folder that holds the weights, or that is to be refused in words.
std::string weights_of(const std::string& folder) {
  for (const char* usual : {"model.safetensors.index.json", "model.safetensors"}) {
    const fs::path path = fs::path(folder) / usual;
    if (is_there(path)) return path.string();
  }
  if (!files_ending(folder, {".safetensors", ".safetensors.index.json"}).empty()) return folder;
  const std::vector<std::string> others =
      files_ending(folder, {".bin", ".pt", ".pth", ".ckpt", ".pkl", ".gguf"});
  return others.empty() ? folder : (fs::path(folder) / others.front()).string();
}

TensorFileKind kind_of(const std::string& path) {
  return tensor_file_kind(FileBytes::map(path, SIZE_MAX), path);
}

// A pickle or a GGUF file is refused as what it is, whatever stands beside it.
void refuse_unread(const std::string& weights_path) {
  if (is_folder(weights_path)) return;
  const TensorFileKind kind = kind_of(weights_path);
  if (kind == TensorFileKind::kPickle || kind == TensorFileKind::kGguf) {
    open_tensor_path(weights_path, SIZE_MAX);
  }
}

// The first bytes of a file and samples of the rest: enough to tell checkpoints of one training
// apart, without reading them.
void add_samples(const std::string& path, ContentHash* hash) {
  constexpr std::size_t kHead = 65536;
  constexpr std::size_t kSample = 256;
  constexpr std::size_t kSamples = 64;
  const FileBytes file = FileBytes::map(path, SIZE_MAX);
  const std::span<const unsigned char> bytes = file.bytes();
  const std::uint64_t size = bytes.size();
  hash->add(&size, sizeof size);
  hash->add(bytes.data(), std::min(kHead, bytes.size()));
  for (std::size_t i = 1; i <= kSamples; ++i) {
    const std::size_t begin = bytes.size() / kSamples * i;
    if (begin >= bytes.size()) break;
    hash->add(bytes.data() + begin, std::min(kSample, bytes.size() - begin));
  }
}

// The file itself, and the shards where it is an index; these were opened before.
void add_weights(const std::string& path, ContentHash* hash) {
  if (is_folder(path)) {
    for (const std::string& name : files_ending(path, {".safetensors"})) {
      add_samples((fs::path(path) / name).string(), hash);
    }
    return;
  }
  add_samples(path, hash);
  if (!path.ends_with(".json")) return;
  const FileBytes index = FileBytes::map(path, SIZE_MAX);
  const JsonNode root = parse_json(index.text(), JsonArrays::kAsValues);
  const JsonNode* map = root.find("weight_map");
  if (map == nullptr) return;
  std::set<std::string> shards;
  for (const JsonMember& member : map->members) shards.insert(member.value.text);
  for (const std::string& shard : shards) {
    add_samples((fs::path(path).parent_path() / shard).string(), hash);
  }
}

bool has_words_of(const Family& family, const TensorSource& source) {
  const std::string name = std::string(family.names.word_embedding) + ".weight";
  return std::ranges::any_of(source.tensors(), [&](const TensorInfo& info) {
    return info.name == name || info.name == std::string(family.names.prefix) + name;
  });
}

// config.json may be that of another model than the weights beside it: then some other family has
// its table of words there, and the one that is named has not.
void check_family(const std::string& model_type, const TensorSource& source,
                  const ModelFolder& place) {
  if (has_words_of(find_family(model_type), source)) return;
  std::vector<std::string> others;
  for (const Family& family : families()) {
    if (has_words_of(family, source)) others.emplace_back(family.model_type);
  }
  if (others.empty()) return;
  fail_input(
      concat(place.config_path, ": /model_type: names another family than the tensors of ",
             place.weights_path, "; expected ", join(others, " or "), ", got '", model_type, "'"),
      "use the config.json that was saved with the weights");
}

std::shared_ptr<const Transformer> open_transformer(
    const ModelFolder& place, std::string_view config_json, const ModelConfig& config,
    const std::shared_ptr<const TensorSource>& weights) {
  check_family(config.model_type, *weights, place);
  try {
    return Transformer::open(config_json, weights);
  } catch (const Error& error) {
    throw error.at(place.weights_path);
  }
}

// bos_token_id of config.json, where the tokenizer knows it: some files have that of another model.
std::optional<std::uint32_t> bos_id(const FolderTokenizer& files, std::string_view config_json) {
  if (!files.tokenizer) return std::nullopt;
  if (files.bos) {
    if (const auto id = files.tokenizer->id(*files.bos)) return id;
  }
  const JsonNode root = parse_json(config_json, JsonArrays::kAsValues);
  const JsonNode* id = root.find("bos_token_id");
  const bool is_id = id != nullptr && id->is(JsonNode::Kind::kNumber) && id->number >= 0 &&
                     id->number <= static_cast<double>(files.tokenizer->largest_id());
  if (!is_id) return std::nullopt;
  const auto value = static_cast<std::uint32_t>(id->number);
  return files.tokenizer->token(value) ? std::optional(value) : std::nullopt;
}

void check_vocabulary(const Tokenizer& tokenizer, const ModelConfig& config, TextModel* model) {
  if (tokenizer.largest_id() < config.vocab_size) return;
  model->warnings.push_back(concat("the tokenizer has ids up to ", tokenizer.largest_id(),
                                   ", and the vocabulary of the model ends at ",
                                   config.vocab_size - 1, ": a text with such an id is refused"));
}

}  // namespace

bool is_model_folder(const std::string& path) {
  const bool is_config = fs::path(path).filename() == kConfig;
  const fs::path config = is_config ? fs::path(path) : fs::path(path) / kConfig;
  if (is_folder(config) || !is_there(config)) return false;
  try {
    const FileBytes bytes = FileBytes::open(config.string(), kMostConfigBytes);
    return parse_json(bytes.text(), JsonArrays::kAsValues).find("model_type") != nullptr;
  } catch (const Error&) {
    return true;  // whoever opens it says what is wrong
  }
}

ModelFolder find_model_folder(const std::string& path) {
  if (!is_there(path)) {
    fail_input(concat(path, ": there is no such file or folder; expected ", kExpected));
  }
  ModelFolder out;
  if (is_folder(path)) {
    out.folder = path;
  } else {
    const fs::path parent = fs::path(path).parent_path();
    out.folder = parent.empty() ? "." : parent.string();
    const bool is_config = fs::path(path).filename() == kConfig;
    if (!is_config && kind_of(path) == TensorFileKind::kNone) {
      fail_input(concat(path, ": is not a model; expected ", kExpected));
    }
    if (!is_config) out.weights_path = path;
  }
  if (out.weights_path.empty()) out.weights_path = weights_of(out.folder);
  out.name = folder_name(out.folder);
  out.config_path = (fs::path(out.folder) / kConfig).string();
  refuse_unread(out.weights_path);
  if (!is_there(out.config_path)) {
    fail_input(concat(out.folder, ": holds no config.json; expected ", kExpected));
  }
  return out;
}

ModelConfig read_config_file(const ModelFolder& place) {
  const FileBytes bytes = FileBytes::open(place.config_path, kMostConfigBytes);
  try {
    return read_model_config(bytes.text());
  } catch (const Error& error) {
    throw error.at_file(place.config_path);
  }
}

std::shared_ptr<const TextModel> open_text_model(const std::string& path, std::size_t max_bytes) {
  const ModelFolder place = find_model_folder(path);
  const ModelConfig config = read_config_file(place);
  const FileBytes config_file = FileBytes::open(place.config_path, kMostConfigBytes);
  const std::string_view config_json = config_file.text();
  const auto weights = open_tensor_path(place.weights_path, max_bytes);
  auto model = std::make_shared<TextModel>();
  model->transformer = open_transformer(place, config_json, config, weights);
  model->description =
      concat(place.name, " (", model->transformer->family(), ", ",
             count_text(config.n_layers, "layer"), " of ", count_text(config.n_heads, "head"), ")");
  ContentHash hash;
  hash.add(config_json.data(), config_json.size());
  FolderTokenizer tokenizer =
      open_folder_tokenizer(place.folder, config.model_type, max_bytes, &hash);
  add_weights(place.weights_path, &hash);
  model->hash = hash.value();
  model->bos = bos_id(tokenizer, config_json);
  model->warnings = weights->notes();
  if (tokenizer.tokenizer) check_vocabulary(*tokenizer.tokenizer, config, model.get());
  model->tokenizer = std::move(tokenizer.tokenizer);
  model->tokenizer_files = std::move(tokenizer.files);
  model->no_tokenizer = std::move(tokenizer.missing);
  return model;
}

}  // namespace mha
