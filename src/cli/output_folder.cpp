#include "output_folder.hpp"

#include <algorithm>
#include <filesystem>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/json.hpp"

#include "summary.hpp"

namespace mha::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestSummary = std::size_t{256} << 20;

bool stays_below(const std::string& relative) {
  const fs::path path(relative);
  if (path.empty() || path.is_absolute()) return false;
  return std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

// The files that the summary in this folder lists, when this tool wrote it; else nothing.
std::vector<std::string> files_of_summary(const std::string& folder) {
  const std::string path = folder + "/summary.json";
  try {
    const FileBytes bytes = FileBytes::open(path, kLargestSummary);
    const JsonNode summary = parse_json(bytes.text());
    const JsonNode* format = summary.find("format");
    const JsonNode* files = summary.find("files");
    if (format == nullptr || format->text != kSummaryFormat || files == nullptr) return {};
    std::vector<std::string> out{"summary.json"};
    for (const JsonNode& file : files->items) {
      if (stays_below(file.text)) out.push_back(file.text);
    }
    return out;
  } catch (const Error&) {
    return {};
  }
}

// Removes folders from `path` upwards to `top`, as long as they are empty.
void remove_empty_folders(fs::path path, const fs::path& top) {
  std::error_code ignored;
  while (path != top && path.has_relative_path() && fs::remove(path, ignored)) {
    path = path.parent_path();
  }
}

}  // namespace

OutputFolder::OutputFolder(std::string path, bool force) : path_(std::move(path)) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) fail_output(path_ + ": is a file; expected a folder");
  const bool is_empty = fs::is_empty(path_, error);
  if (error) fail_output(path_ + ": cannot be read: " + error.message());
  if (is_empty) return;
  old_files_ = files_of_summary(path_);
  if (old_files_.empty() && !force) {
    fail_output(path_ + ": is not empty and was not written by mha-viz",
                "choose another folder, or add --force to write into it");
  }
}

OutputFolder::~OutputFolder() {
  if (keep_) return;
  roll_back(0);
  std::error_code ignored;
  for (auto folder = made_folders_.rbegin(); folder != made_folders_.rend(); ++folder) {
    fs::remove(*folder, ignored);
  }
}

void OutputFolder::prepare() {
  if (is_prepared_) return;
  is_prepared_ = true;
  make_folder(path_);
  remove_old_files();
}

void OutputFolder::remove_old_files() {
  std::error_code ignored;
  for (const std::string& file : old_files_) {
    const fs::path path = fs::path(path_) / file;
    if (fs::is_directory(fs::symlink_status(path, ignored))) continue;
    fs::remove(path, ignored);
    remove_empty_folders(path.parent_path(), path_);
  }
}

std::unique_ptr<OutputFile> OutputFolder::open(const std::string& relative) {
  prepare();
  const fs::path path = fs::path(path_) / relative;
  make_folder(path.parent_path().string());
  auto file = std::make_unique<OutputFile>(path.string());
  files_.push_back(relative);
  return file;
}

void OutputFolder::write(const std::string& relative, std::span<const std::uint8_t> bytes) {
  const std::unique_ptr<OutputFile> file = open(relative);
  file->write(bytes);
  file->commit();
}

void OutputFolder::roll_back(std::size_t mark) {
  std::error_code ignored;
  for (std::size_t i = mark; i < files_.size(); ++i) {
    const fs::path path = fs::path(path_) / files_[i];
    fs::remove(path, ignored);
    remove_empty_folders(path.parent_path(), path_);
  }
  files_.resize(mark);
}

void OutputFolder::make_folder(const std::string& path) {
  std::error_code error;
  fs::path built;
  for (const fs::path& part : fs::path(path)) {
    built /= part;
    if (built.empty() || fs::exists(built, error)) continue;
    if (!fs::create_directory(built, error) || error) {
      fail_output(concat(path, ": cannot be created: ", error.message()));
    }
    made_folders_.push_back(built.string());
  }
  if (!fs::is_directory(path, error)) fail_output(path + ": is not a folder");
}

}  // namespace mha::cli
