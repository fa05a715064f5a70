// Copies of models, each damaged in one way: the program says one thing about each, with the file
// and the place in it, ends with exit code 3, and writes nothing.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/catch.hpp"
#include "support/raw_files.hpp"
#include "support/shared_data.hpp"

namespace mha {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kWeights = "model.safetensors";

struct Checkpoint {
  json header;
  std::string data;

  explicit Checkpoint(const std::string& file) {
    std::uint64_t size = 0;
    for (std::size_t i = 8; i-- > 0;) size = size << 8 | static_cast<unsigned char>(file[i]);
    header = json::parse(file.substr(8, size));
    data = file.substr(8 + size);
  }
  std::string file() const { return test::safetensors_file(header.dump(), data); }
  // An index whose tensors are all in one file.
  json weight_map(const std::string& shard) const {
    json out;
    for (const auto& [name, tensor] : header.items()) {
      if (name != "__metadata__") out[name] = shard;
    }
    return out;
  }
  // The table of words, which every model needs.
  std::string some_tensor() const {
    for (const auto& [name, tensor] : header.items()) {
      if (name.ends_with("word_embeddings.weight") || name.ends_with("embed_tokens.weight") ||
          name.ends_with("wte.weight")) {
        return name;
      }
    }
    FAIL("no table of words");
    return "";
  }
};

// A model folder that may be written to.
struct Copy {
  std::string folder;
  std::string path(const std::string& name) const { return folder + "/" + name; }
  std::string read(const std::string& name) const { return test::read_text(path(name)); }
  void write(const std::string& name, const std::string& text) const {
    test::write_text(path(name), text);
  }
};

// Returns what the message must say after the folder.
using Damage = std::function<std::vector<std::string>(const Copy&)>;

std::vector<std::string> change_header(const Copy& copy,
                                       const std::function<void(Checkpoint*)>& change,
                                       std::vector<std::string> says) {
  Checkpoint checkpoint(copy.read(kWeights));
  says.insert(says.begin(), {kWeights, checkpoint.some_tensor()});
  change(&checkpoint);
  copy.write(kWeights, checkpoint.file());
  return says;
}

// Of the weights' file.
const std::vector<std::pair<const char*, Damage>>& damages_of_weights() {
  static const std::vector<std::pair<const char*, Damage>> kDamages = {
      {"cut by a byte",
       [](const Copy& c) {
         const std::string file = c.read(kWeights);
         c.write(kWeights, file.substr(0, file.size() - 1));
         return std::vector<std::string>{kWeights, "tensor '"};
       }},
      {"cut in the header",
       [](const Copy& c) {
         c.write(kWeights, c.read(kWeights).substr(0, 100));
         return std::vector<std::string>{kWeights, "header", "got"};
       }},
      {"cut in the header's length",
       [](const Copy& c) {
         c.write(kWeights, c.read(kWeights).substr(0, 5));
         return std::vector<std::string>{kWeights};
       }},
      {"header length wrong",
       [](const Copy& c) {
         std::string file = c.read(kWeights);
         file[1] = static_cast<char>(file[1] - 1);
         c.write(kWeights, file);
         return std::vector<std::string>{kWeights, "header"};
       }},
      {"header length huge",
       [](const Copy& c) {
         std::string file = c.read(kWeights);
         file[7] = '\x10';
         c.write(kWeights, file);
         return std::vector<std::string>{kWeights, "header"};
       }},
      {"tensor renamed",
       [](const Copy& c) {
         return change_header(c,
                              [](Checkpoint* p) {
                                const std::string name = p->some_tensor();
                                p->header[name.substr(0, name.size() - 1)] = p->header[name];
                                p->header.erase(name);
                              },
                              {"missing"});
       }},
      {"element type changed",
       [](const Copy& c) {
         return change_header(
             c, [](Checkpoint* p) { p->header[p->some_tensor()]["dtype"] = "F64"; }, {"expected"});
       }},
      {"element type without floats",
       [](const Copy& c) {
         return change_header(c,
                              [](Checkpoint* p) { p->header[p->some_tensor()]["dtype"] = "I32"; },
                              {"expected", "got"});
       }},
      {"shape changed",
       [](const Copy& c) {
         return change_header(c,
                              [](Checkpoint* p) {
                                json& shape = p->header[p->some_tensor()]["shape"];
                                std::swap(shape[0], shape[1]);
                              },
                              {"shape", "expected"});
       }},
      {"shape with a product that overflows",
       [](const Copy& c) {
         return change_header(c,
                              [](Checkpoint* p) {
                                p->header[p->some_tensor()]["shape"] = {4294967296U, 4294967296U};
                              },
                              {});
       }},
      {"index names a missing shard",
       [](const Copy& c) {
         const Checkpoint checkpoint(c.read(kWeights));
         json map = checkpoint.weight_map(kWeights);
         map[checkpoint.some_tensor()] = "model-00002.safetensors";
         c.write("model.safetensors.index.json", json{{"weight_map", map}}.dump());
         return std::vector<std::string>{"model.safetensors.index.json", "model-00002.safetensors"};
       }},
      {"index names a file outside the folder",
       [](const Copy& c) {
         const std::string outside = "../outside.safetensors";
         c.write(outside, c.read(kWeights));
         const json map = Checkpoint(c.read(kWeights)).weight_map(outside);
         c.write("model.safetensors.index.json", json{{"weight_map", map}}.dump());
         return std::vector<std::string>{"model.safetensors.index.json", outside};
       }},
  };
  return kDamages;
}

// A value of config.json; the message names its key.
std::vector<std::pair<std::string, Damage>> damages_of_config(const std::string& key) {
  std::vector<std::pair<std::string, Damage>> out;
  const auto add = [&](const char* name, const std::function<void(json*)>& change) {
    out.emplace_back(key + " " + name, [key, change](const Copy& c) {
      json config = json::parse(c.read("config.json"));
      change(&config);
      c.write("config.json", config.dump());
      return std::vector<std::string>{"config.json", "/" + key};
    });
  };
  add("removed", [key](json* config) { config->erase(key); });
  add("null", [key](json* config) { (*config)[key] = nullptr; });
  add("a text", [key](json* config) { (*config)[key] = "12"; });
  add("an array", [key](json* config) { (*config)[key] = {1, 2}; });
  add("negative", [key](json* config) { (*config)[key] = -4; });
  add("zero", [key](json* config) { (*config)[key] = 0; });
  add("a fraction", [key](json* config) { (*config)[key] = 2.5; });
  add("1e300", [key](json* config) { (*config)[key] = 1e300; });
  // As large as is taken for a count: the tensors do not fit it, and nothing of that size is made.
  out.emplace_back(key + " of a billion", [key](const Copy& c) {
    json config = json::parse(c.read("config.json"));
    config[key] = 1'000'000'000;
    c.write("config.json", config.dump());
    return std::vector<std::string>{"expected", "got"};
  });
  return out;
}

const std::vector<std::pair<const char*, Damage>>& damages_of_tokenizer() {
  static const std::vector<std::pair<const char*, Damage>> kDamages = {
      {"tokenizer cut",
       [](const Copy& c) {
         const std::string file = c.read("tokenizer.json");
         c.write("tokenizer.json", file.substr(0, file.size() / 2));
         return std::vector<std::string>{"tokenizer.json"};
       }},
      {"tokenizer cut by a byte",
       [](const Copy& c) {
         std::string file = c.read("tokenizer.json");
         file.resize(file.rfind('}'));
         c.write("tokenizer.json", file);
         return std::vector<std::string>{"tokenizer.json"};
       }},
      {"tokenizer empty",
       [](const Copy& c) {
         c.write("tokenizer.json", "");
         return std::vector<std::string>{"tokenizer.json"};
       }},
      {"tokenizer without a model",
       [](const Copy& c) {
         c.write("tokenizer.json", "{}");
         return std::vector<std::string>{"tokenizer.json", "model"};
       }},
      {"tokenizer of another vocabulary",
       [](const Copy& c) {
         json tokenizer = json::parse(c.read("tokenizer.json"));
         for (auto& [piece, id] : tokenizer["model"]["vocab"].items()) {
           id = id.get<int>() + 100'000;
         }
         for (json& token : tokenizer["added_tokens"])
           token["id"] = token["id"].get<int>() + 100'000;
         for (auto& [name, token] : tokenizer["post_processor"]["special_tokens"].items()) {
           for (json& id : token["ids"]) id = id.get<int>() + 100'000;
         }
         c.write("tokenizer.json", tokenizer.dump());
         return std::vector<std::string>{"vocabulary"};
       }},
  };
  return kDamages;
}

void copy_folder(const std::string& from, const std::string& to) {
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename().string();
    const bool is_part = name == kWeights || name == "config.json" || name == "tokenizer.json" ||
                         name == "tokenizer_config.json" || name == "vocab.json";
    if (is_part) fs::copy_file(entry.path(), to + "/" + name);
  }
}

// How often `part` stands in `text`.
std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

void check_damage(const std::string& model, const std::string& name, const Damage& damage,
                  const std::vector<std::string>& words) {
  const test::Program program;
  const Copy copy{program.file("models/bad")};
  copy_folder(model, copy.folder);
  const std::vector<std::string> says = damage(copy);
  const std::vector<std::string> before = program.files();
  std::vector<std::string> arguments = {"run", "--model", "models/bad", "-o", "out"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  const test::ProcessResult result = program.run(arguments);
  INFO(model << ": " << name << "\n" << result.err);
  CHECK(result.code == 3);
  CHECK(result.out.empty());
  CHECK(count_of(result.err, "mha-viz: ") == 1);
  CHECK(result.err.starts_with("mha-viz: error: "));
  CHECK(count_of(result.err, "\n") <= (count_of(result.err, "\n  hint: ") == 1 ? 2U : 1U));
  for (const std::string& part : says) CHECK(result.err.find(part) != std::string::npos);
  CHECK(program.files() == before);
}

std::vector<std::string> config_keys(const std::string& model) {
  const json config = json::parse(test::read_text(model + "/config.json"));
  if (config["model_type"] == "gpt2") return {"vocab_size", "n_layer", "n_head", "n_embd"};
  if (config["model_type"] == "distilbert") return {"vocab_size", "n_layers", "n_heads", "dim"};
  return {"vocab_size", "num_hidden_layers", "num_attention_heads", "hidden_size"};
}

// With every key in turn, or with one of them: `which` says which.
void check_model(const std::string& model, std::optional<std::size_t> which = std::nullopt) {
  const std::vector<std::string> words = {"--ids", "1,2,3"};
  for (const auto& [name, damage] : damages_of_weights()) check_damage(model, name, damage, words);
  const std::vector<std::string> keys = config_keys(model);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (which && *which % keys.size() != k) continue;
    for (const auto& [name, damage] : damages_of_config(keys[k])) {
      check_damage(model, name, damage, words);
    }
  }
  if (!fs::exists(model + "/tokenizer.json")) return;
  for (const auto& [name, damage] : damages_of_tokenizer()) {
    check_damage(model, name, damage, {"--text", "the cat"});
  }
}

TEST_CASE("every damaged copy of the bundled model is refused with one message") {
  check_model(std::string(MHA_SOURCE_DIR) + "/data/models/toy");
}

TEST_CASE("every damaged copy of a small model is refused with one message") {
  std::size_t n_models = 0;
  for (const auto& entry :
       fs::directory_iterator(std::string(MHA_SOURCE_DIR) + "/tests/goldens/models")) {
    // Some share the weights of another.
    if (!fs::exists(entry.path() / kWeights)) continue;
    check_model(entry.path().string(), n_models++);
  }
  CHECK(n_models >= 4);
}

TEST_CASE("every damaged copy of a model from elsewhere is refused with one message") {
  const auto tiny = test::shared_folder("hf-tiny");
  const auto stories = test::shared_folder("stories260K");
  if (!tiny || !stories) return;
  check_model(*stories, 0);
  std::size_t n_models = 0;
  for (const char* name : {"albert", "bert", "distilbert", "electra", "gpt2", "roberta"}) {
    check_model(*tiny + "/" + name, ++n_models);
  }
}

}  // namespace
}  // namespace mha
