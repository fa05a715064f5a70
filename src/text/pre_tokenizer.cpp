#include "pre_tokenizer.hpp"

#include <map>

#include <nlohmann/json.hpp>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "normalizer.hpp"
#include "pattern_config.hpp"
#include "split.hpp"
#include "unicode.hpp"

namespace mha::tok {
namespace {

using Step = PreTokenizer::Step;
using Steps = std::vector<Step>;
using Words = PreTokenizer::Words;

void add_stretches(const AlignedText& text, const std::vector<Stretch>& stretches, Words* words) {
  for (const Stretch& stretch : stretches) {
    if (stretch.begin < stretch.end) words->push_back(text.slice(stretch.begin, stretch.end));
  }
}

Step split_step(Pattern pattern, Behavior behavior) {
  return [pattern = std::move(pattern), behavior](AlignedText text, Words* words) {
    add_stretches(text, apply_behavior(behavior, pattern(text.text())), words);
  };
}

// Runs of word characters and runs of what is neither word nor white space.
std::vector<Stretch> word_runs(std::string_view text) {
  enum class Kind { kSpace, kWord, kOther };
  std::vector<Stretch> runs;
  Kind last = Kind::kSpace;
  for (std::size_t end = 0; end < text.size();) {
    const std::size_t begin = end;
    const char32_t code = next_code_point(text, &end);
    const Kind kind = is_white_space(code)      ? Kind::kSpace
                      : is_word_character(code) ? Kind::kWord
                                                : Kind::kOther;
    if (kind != Kind::kSpace && kind == last) {
      runs.back().end = end;
    } else if (kind != Kind::kSpace) {
      runs.push_back({begin, end, false});
    }
    last = kind;
  }
  return runs;
}

void add_whitespace(const ConfigFields&, Steps* steps) {
  steps->push_back(
      [](AlignedText text, Words* words) { add_stretches(text, word_runs(text.text()), words); });
}

void add_whitespace_split(const ConfigFields&, Steps* steps) {
  steps->push_back(split_step(pattern_of_characters(is_white_space), Behavior::kRemoved));
}

void add_bert(const ConfigFields&, Steps* steps) {
  add_bert_words(steps);
}

void add_byte_level_of(const ConfigFields& fields, Steps* steps) {
  fields.optional_boolean("trim_offsets");  // matters in a post-processor
  add_byte_level({fields.boolean("add_prefix_space", true), fields.boolean("use_regex", true)},
                 steps);
}

void add_punctuation(const ConfigFields& fields, Steps* steps) {
  steps->push_back(split_step(pattern_of_characters(is_punctuation),
                              read_behavior(fields, Behavior::kIsolated)));
}

void add_digits(const ConfigFields& fields, Steps* steps) {
  const bool individual = fields.boolean("individual_digits", false);
  steps->push_back(split_step(pattern_of_characters(is_number),
                              individual ? Behavior::kIsolated : Behavior::kContiguous));
}

void add_split(const ConfigFields& fields, Steps* steps) {
  Pattern pattern = read_pattern(fields.object("pattern"), fields.place("pattern"));
  if (fields.boolean("invert", false)) pattern = inverted(std::move(pattern));
  steps->push_back(split_step(std::move(pattern), read_behavior(fields, std::nullopt)));
}

void add_delimiter_split(const ConfigFields& fields, Steps* steps) {
  const std::string delimiter = one_character(fields, "delimiter");
  steps->push_back(split_step(pattern_of_string(delimiter), Behavior::kRemoved));
}

enum class PrependScheme { kAlways, kFirst, kNever };

PrependScheme read_prepend_scheme(const ConfigFields& fields) {
  const bool add_prefix = fields.boolean("add_prefix_space", true);  // the older spelling
  const std::string scheme =
      fields.optional_string("prepend_scheme").value_or(add_prefix ? "always" : "never");
  if (scheme == "always") return PrependScheme::kAlways;
  if (scheme == "first") return PrependScheme::kFirst;
  if (scheme != "never") {
    fail_config(fields.place("prepend_scheme"), "wrong value", "'always', 'first' or 'never'",
                "'" + shortened(scheme) + "'");
  }
  return PrependScheme::kNever;
}

void add_metaspace(const ConfigFields& fields, Steps* steps) {
  const std::string mark = one_character(fields, "replacement");
  fields.optional_string("str_rep");  // the same again, in old files
  const PrependScheme scheme = read_prepend_scheme(fields);
  const bool split = fields.boolean("split", true);
  steps->push_back([=, marks = pattern_of_string(mark)](AlignedText text, Words* words) {
    AlignedText marked;
    text.for_each([&](Character c) {
      const Span span = text.span_of_byte(c.begin);
      c.code == U' ' ? marked.append(mark, span) : marked.append(c.code, span);
    });
    const bool is_first = text.span_of_byte(0).begin == 0;
    const bool wanted =
        scheme == PrependScheme::kAlways || (scheme == PrependScheme::kFirst && is_first);
    if (wanted && !marked.text().starts_with(mark)) marked.prepend(mark);
    if (!split) return words->push_back(std::move(marked));
    add_stretches(marked, apply_behavior(Behavior::kMergedWithNext, marks(marked.text())), words);
  });
}

void add_steps(const Json& config, const std::string& place, Steps* steps);

void add_sequence(const ConfigFields& fields, Steps* steps) {
  const Json& list = fields.array("pretokenizers");
  for (std::size_t i = 0; i < list.size(); ++i) {
    add_steps(list[i], concat(fields.place("pretokenizers"), "/", i), steps);
  }
}

struct PreTokenizerKind {
  std::vector<std::string> fields;
  void (*add)(const ConfigFields&, Steps*);
};

const std::map<std::string, PreTokenizerKind>& pre_tokenizer_kinds() {
  static const std::map<std::string, PreTokenizerKind> kKinds = {
      {"BertPreTokenizer", {{}, add_bert}},
      {"ByteLevel", {{"add_prefix_space", "trim_offsets", "use_regex"}, add_byte_level_of}},
      {"CharDelimiterSplit", {{"delimiter"}, add_delimiter_split}},
      {"Digits", {{"individual_digits"}, add_digits}},
      {"Metaspace",
       {{"replacement", "str_rep", "add_prefix_space", "prepend_scheme", "split"}, add_metaspace}},
      {"Punctuation", {{"behavior"}, add_punctuation}},
      {"Sequence", {{"pretokenizers"}, add_sequence}},
      {"Split", {{"pattern", "behavior", "invert"}, add_split}},
      {"Whitespace", {{}, add_whitespace}},
      {"WhitespaceSplit", {{}, add_whitespace_split}},
  };
  return kKinds;
}

void add_steps(const Json& config, const std::string& place, Steps* steps) {
  const auto kind = find_kind(pre_tokenizer_kinds(), config, place, "pre-tokenizer");
  kind->second.add(ConfigFields(config, place, kind->second.fields), steps);
}

}  // namespace

PreTokenizer::Words PreTokenizer::split(AlignedText text) const {
  Words words;
  const std::size_t n_original = text.text().size();
  if (!text.empty()) words.push_back(std::move(text));
  for (const Step& step : steps_) {
    Words next;
    for (AlignedText& word : words) step(std::move(word), &next);
    words = std::move(next);
    std::size_t n_bytes = 0;
    for (const AlignedText& word : words) n_bytes += word.text().size();
    check_growth(n_original, n_bytes);
  }
  return words;
}

PreTokenizer read_pre_tokenizer(const Json& config, const std::string& place) {
  std::vector<PreTokenizer::Step> steps;
  if (!config.is_null()) add_steps(config, place, &steps);
  return PreTokenizer(std::move(steps));
}

void add_byte_level(const ByteLevelRules& rules, std::vector<PreTokenizer::Step>* steps) {
  constexpr std::string_view kWords =  // Radford et al. 2019, as published with GPT-2
      R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
  if (rules.add_prefix_space) {
    steps->push_back([](AlignedText text, PreTokenizer::Words* words) {
      if (!text.text().starts_with(' ')) text.prepend(" ");
      words->push_back(std::move(text));
    });
  }
  if (rules.use_regex) steps->push_back(split_step(pattern_of_regex(kWords), Behavior::kIsolated));
  steps->push_back([](AlignedText text, PreTokenizer::Words* words) {
    words->push_back(byte_level_characters(text));
  });
}

void add_bert_words(std::vector<PreTokenizer::Step>* steps) {
  steps->push_back(split_step(pattern_of_characters(is_white_space), Behavior::kRemoved));
  steps->push_back(split_step(pattern_of_characters(is_punctuation), Behavior::kIsolated));
}

bool is_byte_level(const Json& config) {
  if (!config.is_object()) return false;
  const auto type = config.find("type");
  if (type != config.end() && *type == "ByteLevel") return true;
  for (const char* list : {"pretokenizers", "normalizers"}) {
    const auto parts = config.find(list);
    if (parts != config.end() && parts->is_array() && !parts->empty()) {
      return is_byte_level(parts->back());
    }
  }
  return false;
}

}  // namespace mha::tok
