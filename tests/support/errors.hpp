// What a call complains about, as one string to compare with.
#pragma once

#include <string>

#include "mha/base/error.hpp"

namespace mha::test {

// The message of the Error that `action` throws, with "\nhint: ..." where it has a hint; "no error"
// when it throws none. Every other exception passes through and fails the test.
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what() + (error.hint().empty() ? "" : "\nhint: " + error.hint());
  }
  return "no error";
}

}  // namespace mha::test
