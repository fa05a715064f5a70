#include "tokenizer_folder.hpp"

#include <algorithm>
#include <filesystem>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"
#include "mha/io/json.hpp"

namespace mha {
namespace {

namespace fs = std::filesystem;

// The files of one folder that tell about its tokenizer.
class TokenizerFiles {
 public:
  TokenizerFiles(std::string folder, std::size_t max_bytes, ContentHash* hash)
      : folder_(std::move(folder)), max_bytes_(max_bytes), hash_(hash) {}

  const std::string& folder() const { return folder_; }
  std::string path(const char* name) const { return (fs::path(folder_) / name).string(); }
  bool has(const char* name) const {
    std::error_code ignored;
    return fs::exists(path(name), ignored);
  }
  FileBytes read(const char* name) const {
    FileBytes bytes = FileBytes::open(path(name), max_bytes_);
    hash_->add(bytes.bytes().data(), bytes.bytes().size());
    return bytes;
  }
  // The object in a JSON file; one without members where there is no such file.
  JsonNode object(const char* name) const {
    JsonNode none;
    none.kind = JsonNode::Kind::kObject;
    if (!has(name)) return none;
    const FileBytes bytes = read(name);
    try {
      JsonNode node = parse_json(bytes.text(), JsonArrays::kAsValues);
      if (node.is(JsonNode::Kind::kObject)) return node;
      fail_input("expected an object, got " + node.description());
    } catch (const Error& error) {
      throw error.at_file(path(name));
    }
  }

 private:
  std::string folder_;
  std::size_t max_bytes_;
  ContentHash* hash_;
};

// What tokenizer_config.json says, and special_tokens_map.json where it is silent.
class TokenizerSettings {
 public:
  explicit TokenizerSettings(const TokenizerFiles& files)
      : place_(files.path(kConfig)),
        map_place_(files.path(kMap)),
        config_(files.object(kConfig)),
        map_(files.object(kMap)) {}

  std::optional<bool> flag(const char* name) const {
    const JsonNode* node = value(config_, name);
    if (node == nullptr) return std::nullopt;
    if (!node->is(JsonNode::Kind::kBoolean)) {
      fail_input(
          concat(place_, ": /", name, ": expected true or false, got ", node->description()));
    }
    return node->number != 0;
  }
  std::string text(const char* name) const {
    const JsonNode* node = value(config_, name);
    return node != nullptr && node->is(JsonNode::Kind::kString) ? node->text : "";
  }
  // A special token, written as a string or as an object with its content.
  std::optional<std::string> token(const char* name) const {
    if (const JsonNode* node = value(config_, name)) return content(*node, place_, name);
    if (const JsonNode* node = value(map_, name)) return content(*node, map_place_, name);
    return std::nullopt;
  }

 private:
  static constexpr const char* kConfig = "tokenizer_config.json";
  static constexpr const char* kMap = "special_tokens_map.json";

  static const JsonNode* value(const JsonNode& object, const char* name) {
    const JsonNode* node = object.find(name);
    return node == nullptr || node->is(JsonNode::Kind::kNull) ? nullptr : node;
  }
  static std::string content(const JsonNode& node, const std::string& place, const char* name) {
    const JsonNode* text = node.is(JsonNode::Kind::kObject) ? node.find("content") : &node;
    if (text == nullptr || !text->is(JsonNode::Kind::kString)) {
      fail_input(concat(place, ": /", name, ": expected a token, as a string or as an object with ",
                        "'content', got ", node.description()));
    }
    return text->text;
  }

  std::string place_;
  std::string map_place_;
  JsonNode config_;
  JsonNode map_;
};

Tokenizer from_vocab_txt(const TokenizerFiles& files, const TokenizerSettings& settings) {
  WordPieceOptions options;
  options.lowercase = settings.flag("do_lower_case").value_or(options.lowercase);
  options.strip_accents = settings.flag("strip_accents");
  options.tokenize_chinese_chars =
      settings.flag("tokenize_chinese_chars").value_or(options.tokenize_chinese_chars);
  options.unk = settings.token("unk_token").value_or(options.unk);
  options.cls = settings.token("cls_token").value_or(options.cls);
  options.sep = settings.token("sep_token").value_or(options.sep);
  options.pad = settings.token("pad_token").value_or(options.pad);
  options.mask = settings.token("mask_token").value_or(options.mask);
  const FileBytes vocabulary = files.read("vocab.txt");
  return Tokenizer::from_wordpiece_vocab(vocabulary.text(), options, files.path("vocab.txt"));
}

// RoBERTa's template and that of the models which took over its tokenizer.
bool is_roberta_like(std::string_view model_type, const std::string& tokenizer_class) {
  static constexpr std::string_view kTypes[] = {"roberta", "bart", "longformer", "led"};
  static constexpr std::string_view kClasses[] = {"Roberta", "Bart", "Longformer", "LED"};
  return std::ranges::find(kTypes, model_type) != std::end(kTypes) ||
         std::ranges::any_of(
             kClasses, [&](std::string_view name) { return tokenizer_class.starts_with(name); });
}

Tokenizer from_vocab_json(const TokenizerFiles& files, const TokenizerSettings& settings,
                          std::string_view model_type) {
  const FileBytes vocabulary = files.read("vocab.json");
  const FileBytes merges = files.read("merges.txt");
  BpeOptions options;
  options.roberta = is_roberta_like(model_type, settings.text("tokenizer_class"));
  options.add_prefix_space = settings.flag("add_prefix_space").value_or(false);
  options.add_bos = settings.flag("add_bos_token").value_or(false);
  // Folders of the first years do not name these tokens; other vocabularies do not have them.
  const auto token = [&](const char* name, const char* of_roberta, const char* of_gpt2) {
    if (const auto given = settings.token(name)) return *given;
    const std::string usual = options.roberta ? of_roberta : of_gpt2;
    const bool is_there = vocabulary.text().find('"' + usual + '"') != std::string_view::npos;
    return options.roberta || is_there ? usual : std::string();
  };
  constexpr const char* kEnd = "<|endoftext|>";
  options.bos = token("bos_token", "<s>", kEnd);
  options.eos = token("eos_token", "</s>", kEnd);
  options.unk = token("unk_token", "<unk>", kEnd);
  options.pad = token("pad_token", "<pad>", "");
  options.mask = token("mask_token", "<mask>", "");
  return Tokenizer::from_bpe_files(vocabulary.text(), merges.text(), options, files.folder());
}

std::string missing_text(const TokenizerFiles& files) {
  std::string text = concat(
      "looked for tokenizer.json, vocab.txt, or vocab.json with merges.txt in ", files.folder());
  for (const char* name : {"tokenizer.model", "spiece.model", "sentencepiece.bpe.model"}) {
    if (!files.has(name)) continue;
    text += concat("; ", name, " is not read: save the tokenizer as tokenizer.json");
    break;
  }
  return text;
}

}  // namespace

FolderTokenizer open_folder_tokenizer(const std::string& folder, std::string_view model_type,
                                      std::size_t max_bytes, ContentHash* hash) {
  const TokenizerFiles files(folder, max_bytes, hash);
  const TokenizerSettings settings(files);
  FolderTokenizer out;
  out.bos = settings.token("bos_token");
  if (!out.bos) out.bos = settings.token("cls_token");
  if (files.has("tokenizer.json")) {
    const FileBytes bytes = files.read("tokenizer.json");
    out.tokenizer = Tokenizer::from_tokenizer_json(bytes.text(), files.path("tokenizer.json"));
    out.files = "tokenizer.json";
  } else if (files.has("vocab.json") && files.has("merges.txt")) {
    out.tokenizer = from_vocab_json(files, settings, model_type);
    out.files = "vocab.json and merges.txt";
  } else if (files.has("vocab.txt")) {
    out.tokenizer = from_vocab_txt(files, settings);
    out.files = "vocab.txt";
  } else {
    out.missing = missing_text(files);
  }
  return out;
}

}  // namespace mha
