// What each step is called, how it is written (Vaswani et al. 2017) and what it does in words.
#pragma once

#include <string>
#include <vector>

#include "walked.hpp"

namespace mha::cli {

// One side of a step's matrix.
struct StepDim {
  enum class Kind { kQueries, kKeys, kNumbers } kind = Kind::kNumbers;
  std::string name;  // "n", "d_head"
  std::size_t size = 0;
};

struct StepText {
  std::string slug;  // "queries": in JSON and in names of files
  std::string title;
  std::string formula;  // markup of render/formula.hpp
  StepDim rows;
  StepDim cols;
  std::string sentence;
};

StepText step_text(const WalkedInput& input, const WalkedHead& head, const Step& step);

// "n × d_head = 12 × 16".
std::string step_shape(const StepText& text);

}  // namespace mha::cli
