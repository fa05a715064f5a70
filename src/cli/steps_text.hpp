// The walkthrough as text for a terminal.
#pragma once

#include <string>

#include "walked.hpp"

namespace mha::cli {

// At most `columns` wide; matrices lose their middle where they do not fit, never the pair.
std::string steps_text(const WalkedInput& input, std::size_t columns);

}  // namespace mha::cli
