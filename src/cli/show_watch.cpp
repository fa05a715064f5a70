#include "show_watch.hpp"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"
#include "mha/render/terminal_text.hpp"

namespace mha::cli {
namespace {

constexpr int kPollMilliseconds = 250;  // so often is looked, and no more often is drawn

// The second screen without a cursor, for as long as this lives.
class SecondScreen {
 public:
  SecondScreen() { write_terminal("\033[?1049h\033[?25l"); }
  ~SecondScreen() { write_terminal("\033[0m\033[?25h\033[?1049l"); }
  SecondScreen(const SecondScreen&) = delete;
  SecondScreen& operator=(const SecondScreen&) = delete;
};

// What changes with a file: not its content, which would have to be read.
std::string trace_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return "absent";
  return concat(info.st_ino, " ", info.st_size, " ", info.st_mtim.tv_sec, ".",
                info.st_mtim.tv_nsec);
}

std::string traces_of(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths) {
    out += trace_of(path) + "\n";
    std::error_code error;
    std::vector<std::string> entries;
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      entries.push_back(entry.path().string());
    }
    std::ranges::sort(entries);
    for (const std::string& entry : entries) out += entry + " " + trace_of(entry) + "\n";
  }
  return out;
}

// The lines that fit above the status lines.
std::string upper_lines(const std::string& text, std::size_t count) {
  std::string out;
  std::size_t n = 0;
  for (std::size_t start = 0; start < text.size() && n < count; ++n) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    out += text.substr(start, end - start) + "\033[K\n";
    start = end + 1;
  }
  return out;
}

class Watcher {
 public:
  Watcher(const std::vector<std::string>& files,
          const std::function<WatchedPicture(const TerminalSize&)>& draw)
      : files_(files), draw_(draw) {}

  int run() {
    const QuietInput input;
    const SecondScreen screen;
    while (true) {
      const TerminalSize size = terminal_size();
      const std::string traces = traces_of(files_);
      if (traces != traces_ || size != size_) {
        traces_ = traces;
        size_ = size;
        update();
      }
      if (interrupt_requested()) return exit_code(ErrorKind::kInterrupted);
      if (!wait(input.is_terminal())) return 0;
    }
  }

 private:
  // False when q was typed.
  static bool wait(bool has_input) {
    if (!has_input) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kPollMilliseconds));
      return true;
    }
    const std::string typed = read_typed(kPollMilliseconds);
    return typed.find('q') == std::string::npos;
  }

  void update() {
    std::vector<std::string> status;
    const char* color = "\033[33m";
    try {
      picture_ = draw_(size_);
      status = picture_.remarks;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput && error.kind() != ErrorKind::kUsage) throw;
      status = {std::string("error: ") + error.what()};
      color = "\033[31m";
    }
    show(status, color);
  }

  void show(const std::vector<std::string>& status, const char* color) const {
    const std::size_t below = status.size() + 1;
    const std::size_t room = size_.lines > below ? size_.lines - below : 0;
    std::string out = "\033[0m\033[H";
    if (picture_.is_picture) {
      out += "\033_Ga=d,q=2\033\\\033[2J" + picture_.text;  // kitty's pictures stay when cleared
    } else {
      out += upper_lines(picture_.text, room) + "\033[J";
    }
    std::size_t line = size_.lines - std::min(size_.lines, below) + 1;
    for (const std::string& text : status) {
      out += concat("\033[", line++, ";1H", color, render::cut_to_columns(text, size_.columns),
                    "\033[0m\033[K");
    }
    const std::string hint = "watching " + join(files_, ", ") + "  (q ends)";
    out += concat("\033[", line, ";1H\033[2m", render::cut_to_columns(hint, size_.columns - 1),
                  "\033[0m\033[K");
    if (!write_terminal(out)) fail_output("standard output: cannot be written");
  }

  const std::vector<std::string>& files_;
  const std::function<WatchedPicture(const TerminalSize&)>& draw_;
  std::string traces_ = "nothing seen yet";
  TerminalSize size_;
  WatchedPicture picture_;
};

}  // namespace

std::vector<std::string> watched_files(const InputOptions& options) {
  std::vector<std::string> files;
  for (const auto* list : {&options.inputs, &options.text_files}) {
    for (const std::string& path : *list) {
      if (path == "-") fail_usage("--watch: standard input cannot be watched", "name a file");
      files.push_back(path);
    }
  }
  if (files.empty()) fail_usage("--watch: there is no file to watch", "name a file");
  if (!options.tokens_file.empty()) files.push_back(options.tokens_file);
  return files;
}

int watch(const std::vector<std::string>& files,
          const std::function<WatchedPicture(const TerminalSize&)>& draw) {
  return Watcher(files, draw).run();
}

}  // namespace mha::cli
