#include "inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <unistd.h>
#include <utility>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"
#include "mha/io/tensor_files.hpp"
#include "mha/model/model_folder.hpp"
#include "mha/report/json_writer.hpp"

#include "ablation.hpp"
#include "model_option.hpp"

namespace mha::cli {
namespace {

constexpr const char* kStdinName = "standard input";

std::string record_name(std::size_t line) {
  std::string digits = std::to_string(line);
  return std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits;
}

// Gives each input a folder name; a name used before gets a number: "a", "a-2".
class FolderNames {
 public:
  std::string unique(const std::string& stem) {
    const std::string base = stem.empty() || stem == "." || stem == ".." ? "input" : stem;
    std::string name = base;
    while (used_[name]++ > 0) name = concat(base, "-", ++last_number_[base] + 1);
    return name;
  }

 private:
  std::map<std::string, int> used_;
  std::map<std::string, int> last_number_;
};

// A mapped file may be of any size: only a document needs memory of its own.
FileBytes read_input(const std::string& path, std::size_t max_bytes) {
  if (path == "-") return FileBytes::read_all(STDIN_FILENO, kStdinName, max_bytes);
  return FileBytes::map(path, max_bytes);
}

// Throws, with the reason, for a document that is larger than the memory allowed.
void check_document_size(const std::string& path, const FileBytes& bytes, std::size_t max_bytes) {
  if (bytes.bytes().size() > max_bytes) FileBytes::open(path, max_bytes);
}

// Texts and id lists become documents of one field.
std::string text_document(const std::string& text) {
  return "{\"text\": " + json_string(text) + "}";
}

std::string pair_document(const std::pair<std::string, std::string>& pair) {
  return "{\"text\": " + json_string(pair.first) + ", \"text_pair\": " + json_string(pair.second) +
         "}";
}

std::string ids_document(const std::string& list) {
  const bool is_list =
      !list.empty() && list.find_first_not_of("0123456789,") == std::string::npos &&
      list.front() != ',' && list.back() != ',' && list.find(",,") == std::string::npos;
  if (!is_list) fail_usage("--ids: expected numbers like 1,2,3, got '" + list + "'");
  return "{\"ids\": [" + list + "]}";
}

struct Line {
  std::string text;
  std::size_t number = 0;  // from 1
};

// The lines of a text that are not empty.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::size_t number = 0;
  std::size_t start = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // a byte order mark is no word
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string line(text.substr(start, end - start));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    ++number;
    const bool is_blank = line.find_first_not_of(" \t") == std::string::npos;
    if (!is_blank) lines.push_back({std::move(line), number});
    start = end + 1;
  }
  return lines;
}

bool has_tensor_flags(const InputOptions& o) {
  return !o.reading.empty() || !o.axes.empty() || o.batch_index || !o.tensor.empty() ||
         !o.tokens_file.empty() || o.n_heads || !o.embeddings_file.empty();
}

// Whether there is text that does not begin as JSON does.
bool looks_like_plain_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] != '{' && text[first] != '[';
}

// `place` ends in a line number where the document is one line of a file.
OpenedInput open_one_document(const std::string& place, const DocumentText& document,
                              const OpenOptions& options) {
  try {
    return open_document(document.text, options);
  } catch (const Error& error) {
    std::string message = error.what();
    const bool has_position = !message.empty() && message[0] >= '0' && message[0] <= '9';
    if (!has_position) throw error.at(place);
    if (document.line > 0) message.erase(0, message.find(':') + 1);
    const bool is_plain =
        document.line == 0 && error.hint().empty() && looks_like_plain_text(document.text);
    const std::string path = place == kStdinName ? "-" : place;
    throw Error(error.kind(), message,
                is_plain ? "plain text is read with --text-file " + path + " (a sentence a line)"
                         : error.hint())
        .at_file(place);
  }
}

// The JSON and NDJSON files of a folder, by name, where it holds no tensor file: a folder with one
// is a checkpoint or a dump, and JSON in it is about that.
std::vector<std::string> documents_in(const std::string& folder) {
  static const std::set<std::string> kTensors = {".npy", ".npz", ".safetensors", ".bin",
                                                 ".pt",  ".pth", ".gguf"};
  std::vector<std::string> documents;
  std::error_code error;  // a folder that cannot be read is reported when it is opened
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string ending = entry.path().extension().string();
    if (kTensors.contains(ending)) return {};
    if (ending == ".json" || ending == ".ndjson") documents.push_back(entry.path().string());
  }
  std::ranges::sort(documents);
  return documents;
}

// A folder of documents stands for its documents.
InputOptions with_documents_of_folders(InputOptions options) {
  std::vector<std::string> inputs;
  for (const std::string& path : options.inputs) {
    std::vector<std::string> documents;
    if (path != "-" && std::filesystem::is_directory(path)) documents = documents_in(path);
    if (documents.empty()) documents.push_back(path);
    inputs.insert(inputs.end(), documents.begin(), documents.end());
  }
  options.inputs = std::move(inputs);
  return options;
}

[[noreturn]] void fail_no_input() {
  fail_usage("no input", "name a file, - for standard input, or --text \"a sentence\"");
}

// Walks over the inputs of one command line.
class InputWalker {
 public:
  InputWalker(const InputOptions& options, const InputContext& context,
              const std::function<void(const InputItem&)>& use)
      : options_(options),
        max_bytes_(context.max_bytes),
        model_(context.model),
        use_(use),
        is_only_(count_inputs(options) == 1) {
    if (model_) model_warnings_ = model_->warnings;
    if (options.ablate.empty()) return;
    const std::shared_ptr<const TextModel> model = model_ ? model_ : bundled_model();
    ablated_ = parse_ablation(options.ablate, model->transformer->config());
  }

  std::string unique_folder(const std::string& stem) { return names_.unique(stem); }

  void use_path(const std::string& path, const std::string& folder) {
    const bool is_stdin = path == "-";
    const std::string place = is_stdin ? kStdinName : path;
    if (!is_stdin && std::filesystem::is_directory(path)) {
      use_tensors(open_tensor_path(path, max_bytes_), place, folder);
      return;
    }
    const FileBytes bytes = read_input(path, max_bytes_);
    if (tensor_file_kind(bytes, place) != TensorFileKind::kNone) {
      use_tensors(is_stdin ? open_tensor_bytes(bytes, place, max_bytes_)
                           : open_tensor_path(path, max_bytes_),
                  place, folder);
      return;
    }
    check_document_size(path, bytes, max_bytes_);
    const std::string parent = is_stdin ? "." : std::filesystem::path(path).parent_path().string();
    use_documents(place, folder, split_documents(bytes.text()), parent.empty() ? "." : parent);
  }

  void use_documents(const std::string& place, const std::string& folder,
                     const std::vector<DocumentText>& documents, const std::string& base) {
    if (has_tensor_flags(options_)) {
      fail_usage(
          "--input, --axes, --batch-index, --tensor, --tokens, --n-heads and --embeddings are "
          "for tensor files; " +
          place + " is a document");
    }
    for (const DocumentText& document : documents) {
      const bool is_record = document.line > 0;
      const std::string record = is_record ? record_name(document.line) : "";
      InputItem item;
      item.place = is_record ? concat(place, ":", document.line) : place;
      item.folder = !is_record ? folder : is_only_ ? record : folder + "/" + record;
      item.has_siblings = is_record || !is_only_;
      item.open = [&, item_place = item.place] {
        return checked(open_one_document(item_place, document, open_options(base)), item_place);
      };
      use_(item);
    }
  }

 private:
  OpenOptions open_options(const std::string& folder) const {
    OpenOptions out{options_.rule, folder, max_bytes_};
    out.model = model_ ? [this] { return model_; } : std::function(bundled_model);
    out.add_special = special_tokens(options_);
    out.ablated = ablated_;
    return out;
  }

  // What --model should have told of, and whether the input was for it at all.
  OpenedInput checked(OpenedInput input, const std::string& place) {
    if (!ablated_.empty() && input.model == nullptr) {
      fail_input(place +
                     ": is not computed by a model; expected text, tokens or ids, as heads are "
                     "to be ablated",
                 "--ablate changes the forward pass of a model; leave it out for this input");
    }
    if (!model_) return input;
    if (input.model == nullptr) {
      input.warnings.emplace_back(
          "--model is not used: the input itself says what its attention is, or how it is "
          "computed");
    } else {
      // Once, with the first input.
      for (std::string& text : std::exchange(model_warnings_, {})) {
        input.warnings.push_back(std::move(text));
      }
    }
    return input;
  }

  void use_tensors(const std::shared_ptr<const TensorSource>& source, const std::string& place,
                   const std::string& folder) {
    std::vector<NamedInput> inputs;
    const TensorOptions options = tensor_options(options_, max_bytes_);
    try {
      inputs = open_tensors(source, options);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
      if (!is_model_folder(place)) throw error.at(place);
      throw Error(error.kind(), error.what(),
                  "it is a model: --model " + place + " --text \"a sentence\"")
          .at(place);
    }
    const bool has_several = inputs.size() > 1;
    for (NamedInput& named : inputs) {
      InputItem item;
      item.place = has_several ? concat(place, " (", named.name, ")") : place;
      item.folder = !has_several ? folder : is_only_ ? named.name : folder + "/" + named.name;
      item.has_siblings = has_several || !is_only_;
      item.open = [this, &named, place = item.place] {
        return checked(std::move(named.input), place);
      };
      use_(item);
    }
  }

  const InputOptions& options_;
  const std::size_t max_bytes_;
  const std::shared_ptr<const TextModel> model_;  // of --model
  std::vector<std::string> model_warnings_;       // not yet said
  AblatedHeads ablated_;                          // in it, or in the bundled one
  const std::function<void(const InputItem&)>& use_;
  const bool is_only_;
  FolderNames names_;
};

}  // namespace

TensorOptions tensor_options(const InputOptions& o, std::size_t max_bytes) {
  TensorOptions options;
  if (o.reading == "weights") options.reading = TensorReading::kWeights;
  if (o.reading == "scores") options.reading = TensorReading::kScores;
  if (o.reading == "qk" || o.reading == "qkv") options.reading = TensorReading::kQueriesKeys;
  if (o.reading == "mha") options.reading = TensorReading::kMultihead;
  options.axes = o.axes;
  options.batch_index = o.batch_index;
  options.tensor = o.tensor;
  options.n_heads = o.n_heads;
  options.rule = o.rule;
  if (!o.tokens_file.empty()) {
    try {
      options.tokens = parse_labels(FileBytes::open(o.tokens_file, max_bytes).text());
    } catch (const Error& error) {
      throw error.at("--tokens");
    }
  }
  if (!o.embeddings_file.empty()) {
    options.embeddings = open_tensor_path(o.embeddings_file, max_bytes);
  }
  return options;
}

Error error_at(const InputItem& item, const Error& error) {
  const bool is_placed =
      error.kind() == ErrorKind::kInput || (error.kind() == ErrorKind::kUsage && item.has_siblings);
  return is_placed ? error.at(item.place) : error;
}

std::size_t count_inputs(const InputOptions& o) {
  return o.inputs.size() + o.texts.size() + o.text_pairs.size() + o.text_files.size() +
         o.id_lists.size();
}

void for_each_text(const InputOptions& options, const InputContext& context,
                   const std::function<std::optional<TextInput>()>& next,
                   const std::function<void(const InputItem&)>& use) {
  InputWalker walker(options, context, use);
  while (const std::optional<TextInput> input = next()) {
    const std::string document = text_document(input->text);
    walker.use_documents(input->place, "", {{document, 0}}, ".");
  }
}

void for_each_input(const InputOptions& options, std::size_t max_bytes,
                    const std::function<void(const InputItem&)>& use,
                    const std::function<void(const FailedInput&)>& fail) {
  if (count_inputs(options) == 0) fail_no_input();
  for_each_input(options, InputContext{max_bytes, open_chosen_model(options, max_bytes)}, use,
                 fail);
}

void for_each_input(const InputOptions& given, const InputContext& context,
                    const std::function<void(const InputItem&)>& use,
                    const std::function<void(const FailedInput&)>& fail) {
  const std::size_t max_bytes = context.max_bytes;
  const InputOptions options = with_documents_of_folders(given);
  if (count_inputs(options) == 0) fail_no_input();
  InputWalker walker(options, context, use);
  const auto guarded = [&fail](const std::string& folder, const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
      fail({folder, error});
    }
  };
  for (const std::string& path : options.inputs) {
    const std::string stem = path == "-" ? "stdin" : std::filesystem::path(path).stem().string();
    const std::string folder = walker.unique_folder(stem);
    guarded(folder, [&] { walker.use_path(path, folder); });
  }
  for (const std::string& text : options.texts) {
    const std::string document = text_document(text);
    walker.use_documents("--text", walker.unique_folder("text"), {{document, 0}}, ".");
  }
  for (const auto& pair : options.text_pairs) {
    const std::string document = pair_document(pair);
    walker.use_documents("--pair", walker.unique_folder("pair"), {{document, 0}}, ".");
  }
  for (const std::string& ids : options.id_lists) {
    const std::string document = ids_document(ids);
    walker.use_documents("--ids", walker.unique_folder("ids"), {{document, 0}}, ".");
  }
  for (const std::string& path : options.text_files) {
    const std::string folder = walker.unique_folder(std::filesystem::path(path).stem().string());
    guarded(folder, [&] {
      const FileBytes bytes = read_input(path, max_bytes);
      check_document_size(path, bytes, max_bytes);
      const std::vector<Line> lines = lines_of(bytes.text());
      if (lines.empty()) fail_input(path + ": holds no text; expected one sentence a line");
      for (const Line& line : lines) {
        const std::string document = text_document(line.text);
        walker.use_documents(path, folder, {{document, line.number}}, ".");
      }
    });
  }
}

}  // namespace mha::cli
