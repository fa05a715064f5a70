// A program in a window of tmux, and what the window shows.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>

#include "mha/base/text.hpp"

#include "support/scratch.hpp"

namespace mha::test {

class Tmux {
 public:
  // Runs a line of shell in a window of this size.
  Tmux(std::size_t columns, std::size_t lines, const std::string& command) {
    const std::string script = folder_.write("script.sh", command + "\nexec cat\n");
    const std::string server = "env LC_ALL=C.UTF-8 tmux -u " + socket() + " -f /dev/null ";
    run(concat(server, "new-session -d -x ", columns, " -y ", lines, " 'sh ", script, "'"));
  }
  Tmux(const Tmux&) = delete;
  Tmux& operator=(const Tmux&) = delete;
  ~Tmux() { run("tmux " + socket() + " kill-server"); }

  static bool is_installed() { return std::system("tmux -V > /dev/null 2>&1") == 0; }

  void resize(std::size_t columns, std::size_t lines) const {
    run(concat("tmux ", socket(), " resize-window -x ", columns, " -y ", lines));
  }
  void type(const std::string& keys) const { run("tmux " + socket() + " send-keys " + keys); }
  std::string command() const { return output("display-message -p '#{pane_current_command}'"); }

  // The window with its colours once it shows `text`; as it is after 20 seconds.
  std::string capture_with(const std::string& text) const {
    std::string screen;
    for (int i = 0; i < 200; ++i) {
      screen = output("capture-pane -p -e -N");
      if (screen.find(text) != std::string::npos) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return screen;
  }

 private:
  std::string socket() const { return "-S " + folder_.file("tmux"); }
  static void run(const std::string& command) {
    if (std::system((command + " > /dev/null 2>&1").c_str()) == -1) std::abort();
  }
  std::string output(const std::string& arguments) const {
    std::string out;
    FILE* pipe = ::popen(("tmux " + socket() + " " + arguments).c_str(), "r");
    if (pipe == nullptr) return out;
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
      out.append(buffer, n);
    }
    ::pclose(pipe);
    return out;
  }

  ScratchFolder folder_;
};

}  // namespace mha::test
