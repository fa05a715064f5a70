#include "shards.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/json.hpp"
#include "mha/io/safetensors.hpp"

namespace mha {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMap = "weight_map";
constexpr std::string_view kSpace = " \t\r\n";

struct Shard {
  std::string file;  // as the index says
  std::unique_ptr<TensorSource> source;
  std::unordered_map<std::string, std::size_t> places;  // of its tensors
  std::size_t n_used = 0;
};

// Compared by their text alone: shards may well be links to files elsewhere.
bool stays_in_folder(const std::string& file) {
  if (file.empty() || file.find('\0') != std::string::npos) return false;
  const fs::path path(file);
  return path.is_relative() && std::ranges::find(path, "..") == path.end();
}

Shard open_shard(const std::string& file, const std::string& folder, std::size_t max_bytes) {
  const fs::path path = fs::path(folder) / file;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    fail_input(
        concat("the index names '", file, "', which is missing; expected it at ", path.string()));
  }
  Shard shard{file, nullptr, {}, 0};
  try {
    shard.source = open_safetensors(FileBytes::map(path.string(), max_bytes));
  } catch (const Error& error) {
    throw error.at("shard '" + file + "'");
  }
  const std::vector<TensorInfo>& infos = shard.source->tensors();
  for (std::size_t i = 0; i < infos.size(); ++i) shard.places.emplace(infos[i].name, i);
  return shard;
}

class ShardedSource : public TensorSource {
 public:
  ShardedSource(const JsonNode& map, const std::string& folder, std::size_t max_bytes) {
    std::map<std::string, std::size_t> opened;  // file -> shard
    for (const JsonMember& member : map.members) {
      const std::string& file = checked_file(member);
      const auto [found, is_new] = opened.emplace(file, shards_.size());
      if (is_new) shards_.push_back(open_shard(file, folder, max_bytes));
      add_tensor(member.name, found->second);
    }
    for (const Shard& shard : shards_) note_unnamed(shard, map);
  }

  const std::vector<TensorInfo>& tensors() const override { return infos_; }
  std::vector<std::string> notes() const override { return notes_; }

  Tensor read(std::size_t index) const override {
    const auto& [shard, place] = places_[index];
    try {
      return shards_[shard].source->read(place);
    } catch (const Error& error) {
      throw error.at("shard '" + shards_[shard].file + "'");
    }
  }
  void read_part(std::size_t index, std::size_t first, std::size_t count,
                 float* out) const override {
    const auto& [shard, place] = places_[index];
    shards_[shard].source->read_part(place, first, count, out);
  }
  std::span<const float> floats(std::size_t index) const override {
    const auto& [shard, place] = places_[index];
    return shards_[shard].source->floats(place);
  }

  const FloatCopier* copier(std::size_t index) const override {
    const auto& [shard, place] = places_[index];
    return shards_[shard].source->copier(place);
  }

 private:
  static const std::string& checked_file(const JsonMember& member) {
    const JsonNode& file = member.value;
    if (!file.is(JsonNode::Kind::kString)) {
      fail_input(concat("/", kMap, ": tensor '", member.name, "' has ", file.description(),
                        "; expected the name of a file"));
    }
    if (!stays_in_folder(file.text)) {
      fail_input(concat("/", kMap, ": tensor '", member.name, "' is in '", file.text,
                        "'; expected a file in the folder of the index"));
    }
    return file.text;
  }

  void add_tensor(const std::string& name, std::size_t shard_index) {
    Shard& shard = shards_[shard_index];
    const auto place = shard.places.find(name);
    if (place == shard.places.end()) {
      fail_input(concat("the index says that tensor '", name, "' is in '", shard.file,
                        "', which does not hold it"));
    }
    infos_.push_back(shard.source->tensors()[place->second]);
    places_.emplace_back(shard_index, place->second);
    ++shard.n_used;
  }

  // Each name of the index is in one shard, so what a shard has beyond those used is not named
  // there, or is named for another shard.
  void note_unnamed(const Shard& shard, const JsonNode& map) {
    if (shard.n_used == shard.places.size()) return;
    std::unordered_map<std::string_view, std::string_view> files;
    for (const JsonMember& member : map.members) files.emplace(member.name, member.value.text);
    std::vector<std::string> names;
    for (const TensorInfo& info : shard.source->tensors()) {
      const auto found = files.find(info.name);
      if (found == files.end() || found->second != shard.file) names.push_back(info.name);
    }
    constexpr std::size_t kShown = 4;
    const std::size_t n_names = names.size();
    if (n_names > kShown) names.resize(kShown);
    notes_.push_back(concat("left out of '", shard.file,
                            "', as the index does not place them there: ", join(names, ", "),
                            n_names > kShown ? concat(" and ", n_names - kShown, " more") : ""));
  }

  std::vector<Shard> shards_;
  std::vector<std::pair<std::size_t, std::size_t>> places_;  // (shard, tensor in it)
  std::vector<TensorInfo> infos_;
  std::vector<std::string> notes_;
};

}  // namespace

bool looks_like_shard_index(std::string_view text) {
  const std::size_t start =
      text.find_first_not_of(kSpace, text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  if (start == std::string_view::npos || text[start] != '{') return false;
  // A quoted name before a colon is a field: within a text its quotes would be escaped.
  const std::string field = concat('"', kMap, '"');
  const std::size_t found = text.find(field);
  if (found == std::string_view::npos) return false;
  const std::size_t colon = text.find_first_not_of(kSpace, found + field.size());
  return colon != std::string_view::npos && text[colon] == ':';
}

std::unique_ptr<TensorSource> open_shards(const FileBytes& index, const std::string& folder,
                                          std::size_t max_bytes) {
  const JsonNode root = parse_json(index.text(), JsonArrays::kAsValues);
  const JsonNode* map = root.find(kMap);
  if (map == nullptr) fail_input(concat("the index has no '", kMap, "'"));
  if (!map->is(JsonNode::Kind::kObject)) {
    fail_input(concat("/", kMap, ": is ", map->description(),
                      "; expected an object of tensor names and files"));
  }
  if (map->members.empty()) fail_input(concat("/", kMap, ": names no tensor"));
  return std::make_unique<ShardedSource>(*map, folder, max_bytes);
}

}  // namespace mha
