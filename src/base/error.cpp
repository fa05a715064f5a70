#include "mha/base/error.hpp"

namespace mha {
namespace {

// what() would end at a zero byte, which names that a message quotes may hold.
std::string without_zero_bytes(std::string text) {
  for (std::size_t at; (at = text.find('\0')) != std::string::npos;) text.replace(at, 1, "\\0");
  return text;
}

}  // namespace

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInternal:
      return 1;
    case ErrorKind::kUsage:
      return 2;
    case ErrorKind::kInput:
      return 3;
    case ErrorKind::kOutput:
      return 4;
    case ErrorKind::kInterrupted:
      return 130;
  }
  return 1;
}

Error Error::at_file(std::string_view path) const {
  const std::string_view message = what();
  const bool has_position = !message.empty() && message[0] >= '0' && message[0] <= '9';
  return Error(kind_, std::string(path) + (has_position ? ":" : ": ") + what(), hint_);
}

void fail_input(const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::kInput, without_zero_bytes(message), hint);
}

void fail_usage(const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::kUsage, without_zero_bytes(message), hint);
}

void fail_output(const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::kOutput, message, hint);
}

}  // namespace mha
