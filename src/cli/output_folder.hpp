// A folder of results that appears as a whole: what a failed run wrote is taken away again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mha/io/file.hpp"

namespace mha::cli {

class OutputFolder {
 public:
  // Checks that `path` may be written to: it does not exist, is empty, was written by this tool
  // (its summary.json says so), or `force` is set. Changes nothing yet. Throws Error(kOutput).
  OutputFolder(std::string path, bool force);
  // Removes the files written so far, and folders made for them, unless keep() was called.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // Creates the folder and removes the files that an earlier run listed in its summary.
  void prepare();

  // Opens a file below the folder, making folders as needed, and lists it.
  std::unique_ptr<OutputFile> open(const std::string& relative);
  void write(const std::string& relative, std::span<const std::uint8_t> bytes);

  void keep() { keep_ = true; }
  const std::string& path() const { return path_; }
  // Files written so far, relative to the folder, in order.
  const std::vector<std::string>& files() const { return files_; }
  std::size_t mark() const { return files_.size(); }
  // Removes the files written since the mark: what one of several inputs left when it failed.
  void roll_back(std::size_t mark);

 private:
  void make_folder(const std::string& path);
  void remove_old_files();

  std::string path_;
  bool keep_ = false;
  bool is_prepared_ = false;
  std::vector<std::string> old_files_;
  std::vector<std::string> files_;
  std::vector<std::string> made_folders_;
};

}  // namespace mha::cli
