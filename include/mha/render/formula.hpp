// Lines of mathematics in a small markup: "A = softmax(Q K^{T} / √{d_{k}})".
//
// `_{...}` lowers and `^{...}` raises what stands in the braces; one right after the other, they
// stand above each other. `√{...}` draws its bar over what stands in the braces. Everything else is
// text. Braces must match; one that does not is text, too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mha::render {

struct FormulaPart {
  enum class Kind { kText, kLowered, kRaised, kRoot } kind = Kind::kText;
  std::string_view text;  // without the braces; may hold parts of its own unless kText
};

// The parts point into the markup.
std::vector<FormulaPart> parse_formula(std::string_view markup);

// The same as plain text: "A = softmax(Q Kᵀ / √d_k)". Braces become parentheses where they hold
// more than one word.
std::string plain_formula(std::string_view markup);

}  // namespace mha::render
