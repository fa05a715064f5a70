// The parts of step_texts.hpp.
#pragma once

#include "mha/base/text.hpp"

#include "step_texts.hpp"

namespace mha::cli {

// A setting of the rule, as it stands in formulas, sentences and arithmetic.
inline std::string step_number(double value) {
  return with_minus(number_text(value));
}

std::string step_formula(const WalkedHead& head, const Step& step);
std::string step_sentence(const WalkedInput& input, const WalkedHead& head, const Step& step);

}  // namespace mha::cli
