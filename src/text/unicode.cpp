#include "unicode.hpp"

#include <utf8proc.h>

namespace mha::tok {
namespace {

utf8proc_category_t category(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

bool is_within(utf8proc_category_t value, utf8proc_category_t first, utf8proc_category_t last) {
  return value >= first && value <= last;
}

bool is_ascii_punctuation(char32_t code) {
  return (code >= 0x21 && code <= 0x2F) || (code >= 0x3A && code <= 0x40) ||
         (code >= 0x5B && code <= 0x60) || (code >= 0x7B && code <= 0x7E);
}

// Letters in circles and squares: symbols that are alphabetic.
bool is_letter_symbol(char32_t code) {
  return (code >= 0x24B6 && code <= 0x24E9) || (code >= 0x1F130 && code <= 0x1F149) ||
         (code >= 0x1F150 && code <= 0x1F169) || (code >= 0x1F170 && code <= 0x1F189);
}

}  // namespace

bool is_white_space(char32_t code) {
  return (code >= 0x09 && code <= 0x0D) || code == 0x20 || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

bool is_control(char32_t code) {
  return is_within(category(code), UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CO);
}

bool is_mark(char32_t code) {
  return is_within(category(code), UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME);
}

bool is_nonspacing_mark(char32_t code) {
  return category(code) == UTF8PROC_CATEGORY_MN;
}

bool is_number(char32_t code) {
  return is_within(category(code), UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool is_punctuation_category(char32_t code) {
  return is_within(category(code), UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}

bool is_punctuation(char32_t code) {
  return is_ascii_punctuation(code) || is_punctuation_category(code);
}

bool is_word_character(char32_t code) {
  const utf8proc_category_t value = category(code);
  return is_within(value, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_NL) ||
         value == UTF8PROC_CATEGORY_PC || code == 0x200C || code == 0x200D ||
         is_letter_symbol(code);
}

bool is_cjk_ideograph(char32_t code) {
  return (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3400 && code <= 0x4DBF) ||
         (code >= 0x20000 && code <= 0x2A6DF) || (code >= 0x2A700 && code <= 0x2B81F) ||
         (code >= 0x2B920 && code <= 0x2CEAF) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0x2F800 && code <= 0x2FA1F);
}

void append_lower(char32_t code, std::vector<char32_t>* out) {
  constexpr char32_t kCapitalDottedI = 0x130;
  if (code == kCapitalDottedI) {
    out->push_back(U'i');
    out->push_back(0x307);  // combining dot above
    return;
  }
  out->push_back(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code))));
}

}  // namespace mha::tok
