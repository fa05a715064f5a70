// The parts of step_texts.hpp.
#pragma once

#include "step_texts.hpp"

namespace mha::cli {

std::string step_formula(const WalkedHead& head, const Step& step);
std::string step_sentence(const WalkedInput& input, const WalkedHead& head, const Step& step);

}  // namespace mha::cli
