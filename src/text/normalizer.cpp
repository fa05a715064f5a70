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
      check_growth(text.text().size(), out.text().size() + content.size());
      out.append(content, stretch.end > 0 ? text.span_of_byte(stretch.end - 1) : text.span(0, 0));
    }
  }
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

struct NormalizerKind {
  std::vector<std::string> fields;
  void (*add)(const ConfigFields&, Steps*);
};

const std::map<std::string, NormalizerKind>& normalizer_kinds() {
  static const std::map<std::string, NormalizerKind> kKinds = {
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
      {"StripAccents", {{}, add_function<without_marks>}},
  };
  return kKinds;
}

void add_steps(const Json& config, const std::string& place, Steps* steps) {
  const auto kind = find_kind(normalizer_kinds(), config, place, "normalizer");
  kind->second.add(ConfigFields(config, place, kind->second.fields), steps);
}

}  // namespace

AlignedText Normalizer::normalize(AlignedText text) const {
  const std::size_t n_original = text.text().size();
  for (const Step& step : steps_) {
    text = step(text);
    check_growth(n_original, text.text().size());
  }
  return text;
}

Normalizer read_normalizer(const Json& config, const std::string& place) {
  std::vector<Normalizer::Step> steps;
  if (!config.is_null()) add_steps(config, place, &steps);
  return Normalizer(std::move(steps));
}

}  // namespace mha::tok
