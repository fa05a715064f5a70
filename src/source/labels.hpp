// Which label belongs to which row and column.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mha/source/source.hpp"

namespace mha {

// Gives an input its tokens and key_tokens from one list, or from indices where there is none. One
// list for fewer queries than keys labels the keys, and the queries are its last ones (noted). With
// `is_cross` a list labels the axis that it fits. Throws Error(kInput) naming both numbers when it
// fits none; `where` is what the list is called in the message.
void label_axes(const std::optional<std::vector<std::string>>& tokens, std::size_t n_query,
                std::size_t n_key, const std::string& where, OpenedInput* input);

// Gives all heads of the input's rows their names; layer l is called layer_numbers[l], or l where
// there are no numbers.
void name_heads(const std::vector<std::size_t>& layer_numbers, OpenedInput* input);

}  // namespace mha
