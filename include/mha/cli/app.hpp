// The command line as a function, so that tests can call it.
#pragma once

#include <iosfwd>

namespace mha::cli {

// Runs `mha-viz` with these arguments; results go to `out`, everything else to `err`. Returns the
// exit code: 0 ok, 1 internal, 2 usage, 3 input, 4 output, 5 some inputs failed, 130 interrupted.
int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace mha::cli
