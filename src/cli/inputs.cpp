#include "inputs.hpp"

#include <filesystem>
#include <map>
#include <unistd.h>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"
#include "mha/io/npy.hpp"
#include "mha/io/safetensors.hpp"
#include "mha/report/json_writer.hpp"

#include "commands.hpp"

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

// A file that does not exist and is called almost like a command is a misspelt command.
FileBytes read_input(const std::string& path, std::size_t max_bytes) {
  if (path == "-") return FileBytes::read_all(STDIN_FILENO, kStdinName, max_bytes);
  if (!std::filesystem::exists(path) && path.find_first_of("./") == std::string::npos) {
    fail_input(path + ": no such file or command", spelling_hint(path, command_names()));
  }
  return FileBytes::open(path, max_bytes);
}

void refuse_tensor_files(const FileBytes& file, const std::string& place) {
  if (!looks_like_npy(file.bytes()) && !looks_like_safetensors(file.bytes())) return;
  fail_input(place + ": is a tensor file; expected an mha-viz JSON document",
             "name it in a document: {\"attention_weights\": {\"file\": \"" + place +
                 "\", \"name\": \"...\"}}");
}

// Texts and id lists become documents of one field.
std::string text_document(const std::string& text) {
  return "{\"text\": " + json_string(text) + "}";
}

struct Line {
  std::string text;
  std::size_t number = 0;  // from 1
};

// The lines of a text that are not empty.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::size_t number = 0;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string line(text.substr(start, end - start));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    ++number;
    if (!line.empty()) lines.push_back({std::move(line), number});
    start = end + 1;
  }
  return lines;
}

bool names_one_input(const InputOptions& o) {
  return o.inputs.size() + o.texts.size() + o.text_files.size() + o.id_lists.size() == 1;
}

}  // namespace

void for_each_document(const InputOptions& options, std::size_t max_bytes,
                       const std::function<void(const InputDocument&)>& use,
                       const std::function<void(const FailedInput&)>& fail) {
  FolderNames names;
  const bool is_only = names_one_input(options);
  const auto use_each = [&](const std::string& place, const std::string& folder,
                            const std::vector<DocumentText>& documents, const std::string& base) {
    for (const DocumentText& document : documents) {
      const bool is_record = document.line > 0;
      const std::string record = is_record ? record_name(document.line) : "";
      use({is_record ? concat(place, ":", document.line) : place,
           !is_record ? folder
           : is_only  ? record
                      : folder + "/" + record,
           document.text, base, is_record || !is_only});
    }
  };
  for (const std::string& path : options.inputs) {
    const std::filesystem::path file(path);
    const bool is_stdin = path == "-";
    const std::string place = is_stdin ? kStdinName : path;
    const std::string folder = names.unique(is_stdin ? "stdin" : file.stem().string());
    try {
      const FileBytes bytes = read_input(path, max_bytes);
      refuse_tensor_files(bytes, place);
      const std::string base = is_stdin ? "." : file.parent_path().string();
      use_each(place, folder, split_documents(bytes.text()), base.empty() ? "." : base);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
      fail({folder, error});
    }
  }
  for (const std::string& text : options.texts) {
    const std::string document = text_document(text);
    use_each("--text", names.unique("text"), {{document, 0}}, ".");
  }
  for (const std::string& ids : options.id_lists) {
    const std::string document = "{\"ids\": [" + ids + "]}";
    use_each("--ids", names.unique("ids"), {{document, 0}}, ".");
  }
  for (const std::string& path : options.text_files) {
    const std::string folder = names.unique(std::filesystem::path(path).stem().string());
    try {
      const FileBytes bytes = read_input(path, max_bytes);
      for (const Line& line : lines_of(bytes.text())) {
        const std::string document = text_document(line.text);
        use_each(path, folder, {{document, line.number}}, ".");
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
      fail({folder, error});
    }
  }
}

OpenedInput open_input(const InputDocument& document, const InputOptions& options,
                       std::size_t max_bytes) {
  try {
    return open_document(document.text, {options.rule, document.base, max_bytes});
  } catch (const Error& error) {
    // A line number joins the path as in PATH:LINE:COLUMN; a pointer follows after a space.
    const std::string message = error.what();
    const bool has_position = !message.empty() && message[0] >= '0' && message[0] <= '9';
    throw Error(error.kind(), document.place + (has_position ? ":" : ": ") + message, error.hint());
  }
}

}  // namespace mha::cli
