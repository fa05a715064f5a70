// Running the real binary and looking at what it wrote.
#pragma once

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "support/scratch.hpp"

namespace mha::test {

// The arguments of exec.
inline std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

struct ProcessResult {
  int code = -1;  // exit code; 128 + n when signal n ended it
  std::string out;
  std::string err;
};

// A program that runs in `folder` with its output in files there.
class Process {
 public:
  struct Setup {
    std::string folder;
    std::string input = "/dev/null";       // file for its stdin
    std::vector<std::string> environment;  // NAME=VALUE beside ours
  };

  Process(const std::vector<std::string>& arguments, const Setup& setup) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, setup.input.c_str(), O_RDONLY, 0);
    constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_path().c_str(), kWrite, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err_path().c_str(), kWrite, 0600);
    posix_spawn_file_actions_addchdir_np(&actions, setup.folder.c_str());
    std::vector<std::string> environment = setup.environment;
    for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
    const int error = posix_spawn(&pid_, arguments[0].c_str(), &actions, nullptr,
                                  pointers(arguments).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("cannot start " + arguments[0]);
  }

  void send(int signal) const { ::kill(pid_, signal); }

  bool has_ended() {
    if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = 0;
    return pid_ == 0;
  }

  // Waits for the end.
  ProcessResult finish() {
    while (pid_ > 0 && ::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    const int code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
    return {code, read_text(out_path()), read_text(err_path())};
  }

 private:
  std::string out_path() const { return files_.file("stdout"); }
  std::string err_path() const { return files_.file("stderr"); }

  ScratchFolder files_;
  pid_t pid_ = 0;
  int status_ = 0;
};

}  // namespace mha::test
