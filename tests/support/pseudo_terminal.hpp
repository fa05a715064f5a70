// A program under a pseudo-terminal: every byte that it writes, and answers to what it asks.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

#include "support/process.hpp"

namespace mha::test {

class PseudoTerminal {
 public:
  struct Setup {
    unsigned short columns = 80;
    unsigned short lines = 24;
    unsigned short width_px = 0;
    unsigned short height_px = 0;
    std::string answer;  // typed back when the program asks what the terminal is (ESC [ c)
    std::vector<std::string> environment;  // the whole of it
    std::string folder = ".";
  };

  PseudoTerminal(const std::vector<std::string>& arguments, const Setup& setup) : setup_(setup) {
    master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) {
      throw std::runtime_error("no pseudo-terminal");
    }
    resize(setup.columns, setup.lines);
    const std::string slave = ::ptsname(master_);
    ::tcgetattr(master_, &before_);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    // The first terminal that the leader of a session opens becomes its own.
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, slave.c_str(), O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, setup.folder.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    const int error = posix_spawn(&pid_, arguments[0].c_str(), &actions, &attributes,
                                  pointers(arguments).data(), pointers(setup.environment).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) throw std::runtime_error("cannot start " + arguments[0]);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;
  ~PseudoTerminal() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(master_);
  }

  void resize(unsigned short columns, unsigned short lines) const {
    const winsize window{lines, columns, setup_.width_px, setup_.height_px};
    ::ioctl(master_, TIOCSWINSZ, &window);
  }
  void type(const std::string& text) const {
    if (::write(master_, text.data(), text.size()) < 0) throw std::runtime_error("cannot type");
  }

  // Reads until `text` has come since the last wait, for up to 20 seconds.
  bool wait_for(const std::string& text) {
    while (output_.find(text, seen_) == std::string::npos) {
      if (!read_some()) return false;
    }
    seen_ = output_.find(text, seen_) + text.size();
    return true;
  }
  // Reads to the end and returns the exit code.
  int finish() {
    while (read_some()) {
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  const std::string& output() const { return output_; }
  // Whether the terminal is set as it was before the program.
  bool is_restored() const {
    termios now{};
    ::tcgetattr(master_, &now);
    return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag;
  }

 private:
  bool read_some() {
    pollfd waiting{master_, POLLIN, 0};
    constexpr int kPatience = 20000;
    if (::poll(&waiting, 1, kPatience) <= 0) return false;
    char buffer[4096];
    const ssize_t n = ::read(master_, buffer, sizeof buffer);
    if (n <= 0) return false;  // the program has ended
    output_.append(buffer, static_cast<std::size_t>(n));
    const bool asks = output_.find("\033[c", asked_) != std::string::npos;
    if (asks && !setup_.answer.empty()) type(setup_.answer);
    if (asks) asked_ = output_.find("\033[c", asked_) + 3;
    return true;
  }

  const Setup setup_;
  int master_ = -1;
  pid_t pid_ = 0;
  termios before_{};
  std::string output_;
  std::size_t seen_ = 0;
  std::size_t asked_ = 0;
};

}  // namespace mha::test
