// `show --watch`: the picture is drawn again when a file or the window changes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "options.hpp"
#include "terminal.hpp"

namespace mha::cli {

// What is shown until something changes.
struct WatchedPicture {
  std::string text;  // lines, or a picture and a newline
  bool is_picture = false;
  std::vector<std::string> remarks;  // warnings, for the line below
};

// The files that the options name. Throws Error(kUsage) where there is none to watch.
std::vector<std::string> watched_files(const InputOptions& options);

// Draws on the terminal's second screen until Ctrl-C (130) or q (0) ends it; the first screen comes
// back then. An error of `draw` about the input is shown below the picture before it, and watching
// goes on.
int watch(const std::vector<std::string>& files,
          const std::function<WatchedPicture(const TerminalSize&)>& draw);

}  // namespace mha::cli
