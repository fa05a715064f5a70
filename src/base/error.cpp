#include "mha/base/error.hpp"

namespace mha {

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

void fail_input(const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::kInput, message, hint);
}

void fail_usage(const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::kUsage, message, hint);
}

void fail_output(const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::kOutput, message, hint);
}

}  // namespace mha
