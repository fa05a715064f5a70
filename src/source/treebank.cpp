#include "mha/source/treebank.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"
#include "mha/text/tokens.hpp"

#include "token_stream.hpp"

namespace mha {
namespace {

// A stretch of the sentence, with the texts that it may have: a word, or a multiword token, which
// may be written as its words or as its surface form.
struct Segment {
  std::size_t first_word = 0;
  std::vector<std::string> words;
  std::string all;                     // the words' texts together
  std::optional<std::string> surface;  // where it differs from them
};

// A way to reach a place of the text: from where, and whether by the surface form.
struct Step {
  std::size_t from = 0;
  bool by_surface = false;
};
using Steps = std::map<std::size_t, Step>;  // by the place that is reached

// How far the tokens of one style agree with the sentence.
struct Attempt {
  TokenStream stream;
  const char* speaker = "the tokens";  // for messages: who says the text
  std::vector<Segment> segments;
  std::vector<Steps> reached;  // after each segment that could be matched; the first is the start

  bool is_whole() const {
    return reached.size() == segments.size() + 1 && reached.back().contains(stream.text.size());
  }
};

std::vector<Segment> segments_of(const ConlluSentence& sentence, bool keep_case) {
  const auto plain = [&](const std::string& form) {
    std::string text = without_spaces(form);
    return keep_case ? text : lower_ascii(std::move(text));
  };
  std::vector<Segment> out;
  auto span = sentence.spans.begin();
  for (std::size_t w = 0; w < sentence.words.size();) {
    Segment segment;
    segment.first_word = w;
    const bool is_span = span != sentence.spans.end() && span->first == w + 1;
    const std::size_t end = is_span ? span->last : w + 1;
    for (; w < end; ++w) {
      segment.words.push_back(plain(sentence.words[w].form));
      segment.all += segment.words.back();
    }
    if (is_span) {
      std::string surface = plain(span->form);
      if (surface != segment.all) segment.surface = std::move(surface);
      ++span;
    }
    out.push_back(std::move(segment));
  }
  return out;
}

// All places that the tokens' text may have come to after `segment`.
Steps match_segment(const Segment& segment, const std::string& text, const Steps& places) {
  Steps out;
  for (const auto& [place, step] : places) {
    if (text.compare(place, segment.all.size(), segment.all) == 0) {
      out.try_emplace(place + segment.all.size(), Step{place, false});
    }
    if (segment.surface && text.compare(place, segment.surface->size(), *segment.surface) == 0) {
      out.try_emplace(place + segment.surface->size(), Step{place, true});
    }
  }
  return out;
}

Attempt attempt(const ConlluSentence& sentence, TokenStream stream) {
  Attempt out;
  out.stream = std::move(stream);
  out.segments = segments_of(sentence, out.stream.has_capitals);
  out.reached.push_back({{0, {}}});
  for (const Segment& segment : out.segments) {
    Steps next = match_segment(segment, out.stream.text, out.reached.back());
    if (next.empty()) break;
    out.reached.push_back(std::move(next));
  }
  return out;
}

// The word of each byte of the tokens' text.
std::vector<std::size_t> words_of_text(const Attempt& attempt) {
  std::vector<std::size_t> out(attempt.stream.text.size());
  std::size_t place = out.size();
  for (std::size_t s = attempt.segments.size(); s > 0; --s) {
    const Segment& segment = attempt.segments[s - 1];
    const Step step = attempt.reached[s].at(place);
    const auto begin = out.begin() + static_cast<std::ptrdiff_t>(step.from);
    std::fill(begin, out.begin() + static_cast<std::ptrdiff_t>(place), segment.first_word);
    std::size_t offset = step.from;
    for (std::size_t i = 0; i < segment.words.size() && !step.by_surface; ++i) {
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(offset), segment.words[i].size(),
                  segment.first_word + i);
      offset += segment.words[i].size();
    }
    place = step.from;
  }
  return out;
}

// Tokens of bytes may begin or end within a character.
std::string got_text(std::string_view text, const char* speaker) {
  return text.empty() ? concat("the end of ", speaker) : concat("'", display_token(text), "'");
}

[[noreturn]] void fail_mismatch(const ConlluSentence& sentence, const Attempt& attempt) {
  // Where the tokens agree with the sentence the longest.
  std::size_t place = attempt.reached.back().rbegin()->first;
  const std::string& text = attempt.stream.text;
  const std::size_t n_matched = attempt.reached.size() - 1;
  if (n_matched == attempt.segments.size()) {
    fail_input(concat(sentence.name(), ": ", attempt.speaker, " go on after the last word '",
                      sentence.words.back().form, "'; expected the end, got ",
                      got_text(attempt.stream.whole_tokens(place, 1), attempt.speaker)));
  }
  const Segment& segment = attempt.segments[n_matched];
  std::size_t i = 0;  // the first word of the segment that is not there
  while (i + 1 < segment.words.size() &&
         text.compare(place, segment.words[i].size(), segment.words[i]) == 0) {
    place += segment.words[i++].size();
  }
  const std::size_t word = segment.first_word + i;
  const std::string& form = sentence.words[word].form;
  const std::string or_surface =
      i == 0 && segment.surface ? concat(" or '", *segment.surface, "'") : "";
  fail_input(concat(
      sentence.name(), ": word ", word + 1, " '", form, "' is not what ", attempt.speaker,
      " say; expected '", segment.words[i], "'", or_surface, ", got ",
      got_text(attempt.stream.whole_tokens(place, segment.words[i].size()), attempt.speaker)));
}

WordAlignment alignment_of(const Attempt& attempt, std::size_t n_words) {
  const std::vector<std::size_t> word_of_text = words_of_text(attempt);
  WordAlignment out;
  out.n_words = n_words;
  for (std::size_t t = 0; t < attempt.stream.start.size(); ++t) {
    const std::size_t start = attempt.stream.start[t];
    const bool has_word = !attempt.stream.is_special[t] && start < word_of_text.size();
    out.word_of_token.push_back(has_word ? word_of_text[start] : WordAlignment::kNoWord);
  }
  return out;
}

// A text as the characters it consists of: every one may begin a word.
TokenStream stream_of_text(std::string_view text) {
  std::vector<std::string> characters;
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t first = offset;
    next_code_point(text, &offset);
    characters.emplace_back(text.substr(first, offset - first));
  }
  return token_stream(characters, TokenStyle::kPlain);
}

// The word of each byte of `text`; for space, that of what follows.
std::vector<std::size_t> words_of_bytes(const Attempt& attempt, std::string_view text) {
  const std::vector<std::size_t> of_stream = words_of_text(attempt);
  std::vector<std::size_t> out;
  std::size_t character = 0;
  for (std::size_t offset = 0; offset < text.size(); ++character) {
    next_code_point(text, &offset);
    const std::size_t start = attempt.stream.start[character];
    out.resize(offset, start < of_stream.size() ? of_stream[start] : WordAlignment::kNoWord);
  }
  return out;
}

}  // namespace

std::string sentence_text(const ConlluSentence& sentence) {
  if (!sentence.text.empty()) return sentence.text;
  std::string out;
  auto span = sentence.spans.begin();
  bool needs_space = false;
  const auto add = [&](const std::string& form, bool space_after) {
    if (needs_space) out += ' ';
    out += form;
    needs_space = space_after;
  };
  for (std::size_t w = 0; w < sentence.words.size();) {
    if (span == sentence.spans.end() || span->first != w + 1) {
      add(sentence.words[w].form, sentence.words[w].space_after);
      ++w;
      continue;
    }
    add(span->form, span->space_after);
    w = (span++)->last;
  }
  return out;
}

WordAlignment align_words(const ConlluSentence& sentence, std::string_view text,
                          const std::vector<std::optional<ByteRange>>& ranges) {
  Attempt only = attempt(sentence, stream_of_text(text));
  only.speaker = "the characters of the text";
  if (!only.is_whole()) fail_mismatch(sentence, only);
  const std::vector<std::size_t> word_of_byte = words_of_bytes(only, text);
  WordAlignment out;
  out.n_words = sentence.words.size();
  for (const std::optional<ByteRange>& range : ranges) {
    const bool has_word = range && range->begin < word_of_byte.size();
    out.word_of_token.push_back(has_word ? word_of_byte[range->begin] : WordAlignment::kNoWord);
  }
  return out;
}

WordAlignment align_words(const ConlluSentence& sentence, const std::vector<std::string>& tokens) {
  std::optional<Attempt> best;
  for (const TokenStyle style : {TokenStyle::kPieces, TokenStyle::kByteLevel, TokenStyle::kPlain}) {
    Attempt next = attempt(sentence, token_stream(tokens, style));
    if (next.is_whole()) return alignment_of(next, sentence.words.size());
    if (!best || next.reached.size() > best->reached.size()) best = std::move(next);
  }
  fail_mismatch(sentence, *best);
}

std::vector<Relation> word_relations(const ConlluSentence& sentence) {
  std::vector<Relation> out;
  std::map<std::string_view, std::size_t> place_of;
  for (std::size_t w = 0; w < sentence.words.size(); ++w) {
    const ConlluWord& word = sentence.words[w];
    if (word.head == 0) continue;
    const auto [place, is_new] = place_of.try_emplace(word.deprel, out.size());
    if (is_new) out.push_back({word.deprel, {}});
    out[place->second].pairs.emplace_back(w, word.head - 1);
  }
  return out;
}

std::vector<std::string> word_forms(const ConlluSentence& sentence) {
  std::vector<std::string> out;
  for (const ConlluWord& word : sentence.words) out.push_back(word.form);
  return out;
}

}  // namespace mha
