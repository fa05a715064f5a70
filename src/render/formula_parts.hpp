// A formula taken apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mha::render {

struct FormulaPart {
  enum class Kind { kText, kLowered, kRaised, kRoot } kind = Kind::kText;
  std::string_view text;  // without the braces; may hold parts of its own unless kText
};

std::vector<FormulaPart> parse_formula(std::string_view markup);

}  // namespace mha::render
