#include "output_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <set>
#include <unistd.h>

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
    const bool is_ours = format != nullptr && format->text.starts_with("mha-viz ");
    if (!is_ours || files == nullptr) return {};
    std::vector<std::string> out{"summary.json"};
    for (const JsonNode& file : files->items) {
      if (stays_below(file.text)) out.push_back(file.text);
    }
    return out;
  } catch (const Error&) {
    return {};
  }
}

// A staging folder is named after the process that fills it.
constexpr std::string_view kStagingPrefix = ".mha-viz-new.";

bool is_staging(const fs::path& path) {
  return path.filename().string().starts_with(kStagingPrefix);
}

// Whether a killed process left this staging folder behind.
bool is_abandoned(const fs::path& path) {
  const std::string digits = path.filename().string().substr(kStagingPrefix.size());
  const long process = std::strtol(digits.c_str(), nullptr, 10);
  return process > 0 && ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

// What people see in the folder: everything but staging folders. Throws Error(kOutput).
bool is_empty_folder(const std::string& path) {
  std::error_code error;
  fs::directory_iterator entries(path, error);
  if (error) fail_output(path + ": cannot be read: " + error.message());
  return std::all_of(begin(entries), end(entries),
                     [](const fs::directory_entry& entry) { return is_staging(entry.path()); });
}

// Removes folders from `path` upwards to `top`, as long as they are empty.
void remove_empty_folders(fs::path path, const fs::path& top) {
  std::error_code ignored;
  while (path != top && path.has_relative_path() && fs::remove(path, ignored)) {
    path = path.parent_path();
  }
}

}  // namespace

OutputFolder::OutputFolder(std::string path, bool force)
    : path_(std::move(path)),
      staging_(concat(path_, "/", kStagingPrefix, static_cast<std::int64_t>(::getpid()))) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) fail_output(path_ + ": is a file; expected a folder");
  if (is_empty_folder(path_)) return;
  old_files_ = files_of_summary(path_);
  if (old_files_.empty() && !force) {
    fail_output(path_ + ": is not empty and was not written by mha-viz",
                "choose another folder, or add --force to write into it");
  }
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (is_prepared_) fs::remove_all(staging_, ignored);
  if (is_kept_) return;
  for (auto folder = made_folders_.rbegin(); folder != made_folders_.rend(); ++folder) {
    fs::remove(*folder, ignored);
  }
}

void OutputFolder::prepare() {
  if (is_prepared_) return;
  make_folders(path_, path_);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) {
    if (is_staging(entry.path()) && is_abandoned(entry.path())) fs::remove_all(entry, error);
  }
  if (!fs::create_directory(staging_, error) || error) {
    fail_output(concat(path_, ": cannot be written: ", error.message()));
  }
  is_prepared_ = true;
}

std::unique_ptr<OutputFile> OutputFolder::open(const std::string& relative) {
  prepare();
  std::error_code error;
  fs::create_directories(fs::path(staged(relative)).parent_path(), error);
  if (error) fail_output(concat(target(relative), ": cannot be written: ", error.message()));
  auto file = std::make_unique<OutputFile>(staged(relative), target(relative));
  files_.push_back(relative);
  return file;
}

void OutputFolder::write(const std::string& relative, std::span<const std::uint8_t> bytes) {
  const std::unique_ptr<OutputFile> file = open(relative);
  file->write(bytes);
  file->commit();
}

void OutputFolder::write_json(const std::string& relative,
                              const std::function<void(JsonWriter*)>& fill) {
  const std::unique_ptr<OutputFile> file = open(relative);
  JsonWriter writer([&file](std::string_view text) { file->write(text); });
  fill(&writer);
  file->commit();
}

void OutputFolder::keep() {
  check_targets();
  is_kept_ = true;
  for (const std::string& file : files_) {
    std::error_code error;
    make_folders(fs::path(target(file)).parent_path().string(), target(file));
    fs::rename(staged(file), target(file), error);
    if (error) fail_output(concat(target(file), ": cannot be moved into place: ", error.message()));
  }
  remove_old_files();
}

void OutputFolder::check_targets() const {
  std::error_code ignored;
  for (const std::string& file : files_) {
    if (fs::is_directory(target(file), ignored)) {
      fail_output(target(file) + ": is a directory; expected a file");
    }
    for (fs::path folder = fs::path(file).parent_path(); !folder.empty();
         folder = folder.parent_path()) {
      const fs::path path = path_ / folder;
      if (fs::exists(path, ignored) && !fs::is_directory(path, ignored)) {
        fail_output(path.string() + ": is a file; expected a folder");
      }
    }
  }
}

void OutputFolder::remove_old_files() {
  const std::set<std::string> kept(files_.begin(), files_.end());
  std::error_code ignored;
  for (const std::string& file : old_files_) {
    const fs::path path = target(file);
    if (kept.contains(file) || fs::is_directory(fs::symlink_status(path, ignored))) continue;
    fs::remove(path, ignored);
    remove_empty_folders(path.parent_path(), path_);
  }
}

void OutputFolder::roll_back(std::size_t mark) {
  std::error_code ignored;
  for (std::size_t i = mark; i < files_.size(); ++i) fs::remove(staged(files_[i]), ignored);
  files_.resize(mark);
}

// `name` is what messages call the thing that needs the folders.
void OutputFolder::make_folders(const std::string& path, const std::string& name) {
  std::error_code error;
  fs::path built;
  for (const fs::path& part : fs::path(path)) {
    built /= part;
    if (built.empty() || fs::exists(built, error)) continue;
    if (!fs::create_directory(built, error) || error) {
      fail_output(concat(name, ": cannot be created: ", error.message()));
    }
    made_folders_.push_back(built.string());
  }
  if (!fs::is_directory(path, error)) fail_output(path + ": is not a folder");
}

}  // namespace mha::cli
