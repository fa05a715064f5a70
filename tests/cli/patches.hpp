// Attention on patches, for tests of draw --grid and report --grid.
#pragma once

#include <string>

#include "program.hpp"

namespace mha::test {

// One head over CLS and 2 x 3 patches; row i attends mostly to key i.
inline std::string seven_tokens() {
  std::string rows;
  for (int i = 0; i < 7; ++i) {
    rows += i == 0 ? "[" : ",[";
    for (int j = 0; j < 7; ++j) rows += std::string(j == 0 ? "" : ",") + (i == j ? "0.4" : "0.1");
    rows += "]";
  }
  return R"({"tokens": ["[CLS]", "a", "b", "c", "d", "e", "f"], "attention_weights": [[[)" + rows +
         "]]]}";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace mha::test
