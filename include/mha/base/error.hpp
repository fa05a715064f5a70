// The one exception type of the library, and the exit code that each kind of failure becomes.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace mha {

enum class ErrorKind {
  kInternal,     // a bug of ours
  kUsage,        // a flag, head or layer that does not exist
  kInput,        // the data are wrong, or need more memory than allowed
  kOutput,       // a file cannot be written
  kInterrupted,  // Ctrl-C
};

// Process exit code of a failure: 1 internal, 2 usage, 3 input, 4 output, 130 interrupted.
int exit_code(ErrorKind kind);

// A failure that a person can act on. what() is one line without the program's name:
// "PATH[:line:col]: what; expected X, got Y". hint() is a remedy, or empty.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::string hint = {})
      : std::runtime_error(message), kind_(kind), hint_(std::move(hint)) {}

  ErrorKind kind() const { return kind_; }
  const std::string& hint() const { return hint_; }

  // The same error with "place: " in front, for layers that know the file while the thrower did
  // not.
  Error at(std::string_view place) const {
    return Error(kind_, std::string(place) + ": " + what(), hint_);
  }
  // The same for the path of a file whose reader says LINE:COLUMN: they join as PATH:LINE:COLUMN.
  Error at_file(std::string_view path) const;

 private:
  ErrorKind kind_;
  std::string hint_;
};

[[noreturn]] void fail_input(const std::string& message, const std::string& hint = {});
[[noreturn]] void fail_usage(const std::string& message, const std::string& hint = {});
[[noreturn]] void fail_output(const std::string& message, const std::string& hint = {});

}  // namespace mha
