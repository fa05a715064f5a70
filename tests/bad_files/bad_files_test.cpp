// Every broken file of this folder gets its one message, from the library and from the program.
#include <algorithm>
#include <filesystem>
#include <set>

#include <nlohmann/json.hpp>

#include "mha/io/conllu.hpp"
#include "mha/io/picture.hpp"
#include "mha/io/tensor_files.hpp"
#include "mha/source/source.hpp"

#include "cli/program.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"

namespace mha {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMemory = std::size_t{1} << 28;

struct BadFile {
  std::string name;
  std::string error;
  std::string hint;
};

std::string folder() {
  return std::string(MHA_SOURCE_DIR) + "/tests/bad_files";
}

// A treebank is no INPUT of the program: only the library reads it.
bool is_treebank(const std::string& name) {
  return name.ends_with(".conllu");
}

// Nor is a picture: --image brings it.
bool is_picture(const std::string& name) {
  return name.ends_with(".png") || name.ends_with(".jpg");
}

bool is_input(const std::string& name) {
  return !is_treebank(name) && !is_picture(name);
}

bool is_document(const std::string& name) {
  return name.starts_with("json/");
}

const std::vector<BadFile>& bad_files() {
  static const std::vector<BadFile> kFiles = [] {
    std::vector<BadFile> out;
    for (const auto& entry : nlohmann::json::parse(test::read_text(folder() + "/expected.json"))) {
      out.push_back({entry.at("file"), entry.at("error"), entry.value("hint", "")});
    }
    return out;
  }();
  return kFiles;
}

// Messages name files by their path; here they are relative to the folder.
std::string relative(std::string message) {
  const std::string prefix = folder() + "/";
  for (std::size_t at; (at = message.find(prefix)) != std::string::npos;) {
    message.erase(at, prefix.size());
  }
  return message;
}

void read_all_of(const std::string& path) {
  const auto source = open_tensor_path(path, kMemory);
  try {
    for (std::size_t i = 0; i < source->tensors().size(); ++i) source->read(i);
  } catch (const Error& error) {
    throw error.at(path);
  }
}

void read_documents(const std::string& path) {
  const FileBytes bytes = FileBytes::open(path, kMemory);
  OpenOptions options;
  options.folder = fs::path(path).parent_path().string();
  for (const DocumentText& document : split_documents(bytes.text())) {
    open_document(document.text, options);
  }
}

void read_sentences(const std::string& path) {
  const FileBytes bytes = FileBytes::open(path, kMemory);
  ConlluReader reader(bytes.text());
  while (reader.next()) continue;
}

// Opens a text as the command line does; a line number joins the path.
void open_text_file(const std::string& path) {
  try {
    if (is_treebank(path)) return read_sentences(path);
    read_documents(path);
  } catch (const Error& error) {
    const std::string message = error.what();
    const bool has_position = message[0] >= '0' && message[0] <= '9';
    throw Error(error.kind(), path + (has_position ? ":" : ": ") + message, error.hint());
  }
}

void open_file(const std::string& name) {
  const std::string path = folder() + "/" + name;
  if (is_picture(name)) {
    read_picture(path);
    return;
  }
  if (is_document(name) || is_treebank(name)) return open_text_file(path);
  read_all_of(path);
}

TEST_CASE("the list of broken files is complete, and long") {
  std::set<std::string> listed;
  for (const BadFile& file : bad_files()) listed.insert(file.name);
  CHECK(listed.size() == bad_files().size());
  CHECK(listed.size() >= 60);
  // Good shards and parts of cases stand beside the broken indexes.
  const std::set<std::string> parts = {"index/one.safetensors", "index/sub/cut.safetensors",
                                       "index/sub/x.npy"};
  std::set<std::string> present;
  for (const char* reader :
       {"npy", "npz", "safetensors", "index", "other", "json", "conllu", "picture"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder() + "/" + reader)) {
      if (entry.is_directory()) continue;
      const std::string name = fs::relative(entry.path(), folder()).string();
      if (!parts.contains(name)) present.insert(name);
    }
  }
  CHECK(present == listed);
}

TEST_CASE("the valid files that the broken ones derive from are read") {
  for (const auto& entry : fs::directory_iterator(folder() + "/valid")) {
    INFO(entry.path());
    const std::string name = "valid/" + entry.path().filename().string();
    CHECK(test::error_of([&] { open_file(name); }) == "no error");
  }
}

TEST_CASE("the library says what is wrong with every broken file") {
  for (const BadFile& file : bad_files()) {
    INFO(file.name);
    const std::string message = test::error_of([&] { open_file(file.name); });
    CHECK(relative(message) == file.error + (file.hint.empty() ? "" : "\nhint: " + file.hint));
  }
}

// Exit code 3, the message, and nothing written or printed.
void check_program(const std::vector<std::string>& before, const BadFile& file,
                   const std::vector<std::string>& after) {
  const test::Program program;
  std::vector<std::string> arguments = before;
  arguments.push_back(folder() + "/" + file.name);
  arguments.insert(arguments.end(), after.begin(), after.end());
  const test::ProcessResult result = program.run(arguments);
  INFO(before[0] << " " << file.name);
  CHECK(result.code == 3);
  CHECK(relative(result.err) == "mha-viz: error: " + file.error + "\n" +
                                    (file.hint.empty() ? "" : "  hint: " + file.hint + "\n"));
  // inspect names each file that it looks at.
  const std::string shown = before[0] == "inspect" ? relative(arguments[1]) + "\n" : "";
  CHECK(relative(result.out) == shown);
  CHECK(program.files().empty());
}

TEST_CASE("the program refuses every broken file with exit code 3 and writes nothing") {
  for (const BadFile& file : bad_files()) {
    if (is_input(file.name)) check_program({"run"}, file, {"-o", "out"});
  }
}

TEST_CASE("inspect says the same of every broken file") {
  for (const BadFile& file : bad_files()) {
    if (is_input(file.name)) check_program({"inspect"}, file, {});
  }
}

TEST_CASE("report refuses every broken picture before it reads its input") {
  for (const BadFile& file : bad_files()) {
    if (!is_picture(file.name)) continue;
    check_program({"report", "none.npy", "--grid", "2x3", "--image"}, file, {"-o", "out.html"});
  }
}

}  // namespace
}  // namespace mha
