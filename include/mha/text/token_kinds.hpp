// What a token is by its text alone. (is_special_token stands in tokens.hpp.)
#pragma once

#include <string_view>

namespace mha {

// Tokens of nothing but punctuation (Unicode categories P*), with or without a space mark in front
// or a "##" that continues a word.
bool is_punctuation_token(std::string_view token);

}  // namespace mha
