// Properties of code points that tokenizers ask for.
#pragma once

#include <vector>

namespace mha::tok {

bool is_white_space(char32_t code);           // the property White_Space
bool is_control(char32_t code);               // categories Cc, Cf, Co (and unpaired surrogates)
bool is_mark(char32_t code);                  // M*
bool is_nonspacing_mark(char32_t code);       // Mn
bool is_number(char32_t code);                // N*
bool is_punctuation_category(char32_t code);  // P*
bool is_punctuation(char32_t code);           // P*, and the symbols among ASCII's punctuation
bool is_word_character(char32_t code);  // L*, M*, Nd, Nl, Pc and the joiners: \w of the reference
bool is_cjk_ideograph(char32_t code);   // the blocks that BERT separates by spaces

// Lower case of one character: two characters for U+0130, else one.
void append_lower(char32_t code, std::vector<char32_t>* out);

}  // namespace mha::tok
