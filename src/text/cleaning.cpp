#include "normalizer.hpp"
#include "unicode.hpp"

namespace mha::tok {
namespace {

// Keeps the characters that `keep` accepts.
template <typename Keep>
AlignedText filtered(const AlignedText& text, Keep keep) {
  AlignedText out;
  text.for_each([&](Character c) {
    if (keep(c.code)) out.append(text, c.begin, c.end);
  });
  return out;
}

bool is_nmt_control(char32_t c) {
  return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F ||
         c == 0x8F || c == 0x9F;
}

bool is_nmt_space(char32_t c) {
  return c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF ||
         c == 0xFFFD;
}

AlignedText cleaned(const AlignedText& text) {
  constexpr char32_t kReplacement = 0xFFFD;
  AlignedText out;
  text.for_each([&](Character c) {
    const bool is_space = is_white_space(c.code);
    const bool is_kept_control = c.code == '\t' || c.code == '\n' || c.code == '\r';
    if (c.code == 0 || c.code == kReplacement || (is_control(c.code) && !is_kept_control)) return;
    out.append(is_space ? U' ' : c.code, text.span_of_byte(c.begin));
  });
  return out;
}

AlignedText ideographs_apart(const AlignedText& text) {
  AlignedText out;
  text.for_each([&](Character c) {
    const Span span = text.span_of_byte(c.begin);
    const bool is_apart = is_cjk_ideograph(c.code);
    if (is_apart) out.append(U' ', span);
    out.append(c.code, span);
    if (is_apart) out.append(U' ', span);
  });
  return out;
}

}  // namespace

AlignedText lowercase(const AlignedText& text) {
  AlignedText out;
  std::vector<char32_t> lower;
  text.for_each([&](Character c) {
    lower.clear();
    append_lower(c.code, &lower);
    for (char32_t code : lower) out.append(code, text.span_of_byte(c.begin));
  });
  return out;
}

AlignedText without_marks(const AlignedText& text) {
  return filtered(text, [](char32_t c) { return !is_mark(c); });
}

AlignedText nmt(const AlignedText& text) {
  AlignedText out;
  text.for_each([&](Character c) {
    if (is_nmt_control(c.code)) return;
    out.append(is_nmt_space(c.code) ? U' ' : c.code, text.span_of_byte(c.begin));
  });
  return out;
}

Normalizer::Step bert_normalizer(const BertRules& rules) {
  return [rules](const AlignedText& text) {
    AlignedText out = rules.clean_text ? cleaned(text) : text;
    if (rules.handle_chinese_chars) out = ideographs_apart(out);
    if (rules.strip_accents) {
      out = filtered(normal_form(out, {}), [](char32_t c) { return !is_nonspacing_mark(c); });
    }
    return rules.lowercase ? lowercase(out) : out;
  };
}

}  // namespace mha::tok
