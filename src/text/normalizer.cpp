#include "normalizer.hpp"

#include <map>

#include <nlohmann/json.hpp>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "pattern_config.hpp"
#include "split.hpp"
#include "unicode.hpp"

namespace mha::tok {
namespace {

using Step = Normalizer::Step;
using Steps = std::vector<Step>;

// Keeps the characters that `keep` accepts.
template <typename Keep>
AlignedText filtered(const AlignedText& text, Keep keep) {
  AlignedText out;
  text.for_each([&](Character c) {
    if (keep(c.code)) out.append(text, c.begin, c.end);
  });
  return out;
}

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

AlignedText strip(const AlignedText& text, bool left, bool right) {
  std::size_t begin = text.text().size();
  std::size_t end = 0;
  text.for_each([&](Character c) {
    if (is_white_space(c.code)) return;
    begin = std::min(begin, c.begin);
    end = c.end;
  });
  if (end == 0) return left || right ? AlignedText() : text;
  return text.slice(left ? begin : 0, right ? end : text.text().size());
}

// What replaces a match counts as its last character, as in the reference.
AlignedText replaced(const AlignedText& text, const std::vector<Stretch>& stretches,
                     const std::string& content) {
  AlignedText out;
  for (const Stretch& stretch : stretches) {
    if (!stretch.is_match) {
      out.append(text, stretch.begin, stretch.end);
    } else {
      out.append(content, stretch.end > 0 ? text.span_of_byte(stretch.end - 1) : text.span(0, 0));
    }
  }
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

// The cleaning of SentencePiece's rules for machine translation.
AlignedText nmt(const AlignedText& text) {
  AlignedText out;
  text.for_each([&](Character c) {
    if (is_nmt_control(c.code)) return;
    out.append(is_nmt_space(c.code) ? U' ' : c.code, text.span_of_byte(c.begin));
  });
  return out;
}

void add_bert(const ConfigFields& fields, Steps* steps) {
  BertRules rules;
  rules.clean_text = fields.boolean("clean_text", true);
  rules.handle_chinese_chars = fields.boolean("handle_chinese_chars", true);
  rules.lowercase = fields.boolean("lowercase", true);
  rules.strip_accents = fields.boolean("strip_accents", rules.lowercase);
  steps->push_back(bert_normalizer(rules));
}

template <bool kCompatibility, bool kCompose>
void add_normal_form(const ConfigFields&, Steps* steps) {
  steps->push_back([](const AlignedText& text) {
    return normal_form(text, {kCompatibility, kCompose});
  });
}

void add_strip(const ConfigFields& fields, Steps* steps) {
  const bool left = fields.boolean("strip_left", std::nullopt);
  const bool right = fields.boolean("strip_right", std::nullopt);
  steps->push_back([=](const AlignedText& text) { return strip(text, left, right); });
}

void add_prepend(const ConfigFields& fields, Steps* steps) {
  steps->push_back([prefix = fields.string("prepend")](const AlignedText& text) {
    AlignedText out = text;
    out.prepend(prefix);
    return out;
  });
}

void add_replace(const ConfigFields& fields, Steps* steps) {
  const Pattern pattern = read_pattern(fields.object("pattern"), fields.place("pattern"));
  steps->push_back([pattern, content = fields.string("content")](const AlignedText& text) {
    return replaced(text, pattern(text.text()), content);
  });
}

void add_precompiled(const ConfigFields& fields, Steps* steps) {
  const std::optional<std::string> map = fields.optional_string("precompiled_charsmap");
  if (map && !map->empty()) {
    steps->push_back(precompiled_normalizer(*map, fields.place("precompiled_charsmap")));
  }
}

void add_strip_accents(const ConfigFields&, Steps* steps) {
  steps->push_back([](const AlignedText& text) {
    return filtered(text, [](char32_t c) { return !is_mark(c); });
  });
}

template <AlignedText (*kStep)(const AlignedText&)>
void add_function(const ConfigFields&, Steps* steps) {
  steps->push_back(kStep);
}

void add_steps(const Json& config, const std::string& place, Steps* steps);

void add_sequence(const ConfigFields& fields, Steps* steps) {
  const Json& list = fields.array("normalizers");
  for (std::size_t i = 0; i < list.size(); ++i) {
    add_steps(list[i], concat(fields.place("normalizers"), "/", i), steps);
  }
}

struct Kind {
  std::vector<std::string> fields;
  void (*add)(const ConfigFields&, Steps*);
};

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> kKinds = {
      {"BertNormalizer",
       {{"clean_text", "handle_chinese_chars", "strip_accents", "lowercase"}, add_bert}},
      {"ByteLevel", {{}, add_function<byte_level_characters>}},
      {"Lowercase", {{}, add_function<lowercase>}},
      {"NFC", {{}, add_normal_form<false, true>}},
      {"NFD", {{}, add_normal_form<false, false>}},
      {"NFKC", {{}, add_normal_form<true, true>}},
      {"NFKD", {{}, add_normal_form<true, false>}},
      {"Nmt", {{}, add_function<nmt>}},
      {"Precompiled", {{"precompiled_charsmap"}, add_precompiled}},
      {"Prepend", {{"prepend"}, add_prepend}},
      {"Replace", {{"pattern", "content"}, add_replace}},
      {"Sequence", {{"normalizers"}, add_sequence}},
      {"Strip", {{"strip_left", "strip_right"}, add_strip}},
      {"StripAccents", {{}, add_strip_accents}},
  };
  return kKinds;
}

void add_steps(const Json& config, const std::string& place, Steps* steps) {
  const auto kind = find_kind(kinds(), config, place, "normalizer");
  kind->second.add(ConfigFields(config, place, kind->second.fields), steps);
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

AlignedText Normalizer::normalize(AlignedText text) const {
  for (const Step& step : steps_) text = step(text);
  return text;
}

Normalizer read_normalizer(const Json& config, const std::string& place) {
  std::vector<Normalizer::Step> steps;
  if (!config.is_null()) add_steps(config, place, &steps);
  return Normalizer(std::move(steps));
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
