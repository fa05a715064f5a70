// A folder of results that appears as a whole: what a failed run wrote is taken away again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mha/io/file.hpp"
#include "mha/report/json_writer.hpp"

namespace mha::cli {

// New files are collected in a hidden folder inside the target and moved into place by keep(), when
// all of them are complete. Until then the results of an earlier run stay as they are.
class OutputFolder {
 public:
  // Checks that `path` may be written to: it does not exist, is empty, was written by this tool
  // (its summary.json says so), or `force` is set. Changes nothing yet. Throws Error(kOutput).
  OutputFolder(std::string path, bool force);
  // Removes what was written, and folders made for it, unless keep() was called.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // Creates the folders, so that an unusable place is found out before the work. Throws
  // Error(kOutput).
  void prepare();

  // Opens a file below the folder, making folders as needed, and lists it.
  std::unique_ptr<OutputFile> open(const std::string& relative);
  void write(const std::string& relative, std::span<const std::uint8_t> bytes);
  void write_json(const std::string& relative, const std::function<void(JsonWriter*)>& fill);

  // Moves the files into place and removes those of an earlier run that its summary lists. Throws
  // Error(kOutput), before anything is moved, when a folder stands where a file should go.
  void keep();

  const std::string& path() const { return path_; }
  // Files written so far, relative to the folder, in order.
  const std::vector<std::string>& files() const { return files_; }
  std::size_t mark() const { return files_.size(); }
  // Removes the files written since the mark: what one of several inputs left when it failed.
  void roll_back(std::size_t mark);

 private:
  std::string target(const std::string& relative) const { return path_ + "/" + relative; }
  std::string staged(const std::string& relative) const { return staging_ + "/" + relative; }
  void make_folders(const std::string& path, const std::string& name);
  void check_targets() const;
  void remove_old_files();

  std::string path_;
  std::string staging_;
  bool is_prepared_ = false;
  bool is_kept_ = false;
  std::vector<std::string> old_files_;
  std::vector<std::string> files_;
  std::vector<std::string> made_folders_;  // outside the staging folder
};

}  // namespace mha::cli
