// The worked example of each step: one token pair, with numbers.
#pragma once

#include <string>
#include <vector>

#include "walked.hpp"

namespace mha::cli {

// "3.12", "−0.40", "0.0012", "12346": short enough for a line of arithmetic.
std::string short_number(double value);

// Lines of text; none where a step has nothing to calculate for a pair.
std::vector<std::string> worked_lines(const WalkedInput& input, const WalkedHead& head,
                                      StepKind kind);

}  // namespace mha::cli
