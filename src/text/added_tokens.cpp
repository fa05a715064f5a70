#include "added_tokens.hpp"

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "normalizer.hpp"
#include "unicode.hpp"

namespace mha::tok {
namespace {

// A stretch of the text that an added token takes.
struct Match {
  std::size_t begin, end;
  std::uint32_t token;
};

char32_t code_before(std::string_view text, std::size_t end) {
  std::size_t begin = end - 1;
  while ((static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  return next_code_point(text, &begin);
}

bool is_within_word(std::string_view text, const Match& match) {
  std::size_t end = match.end;
  if (match.begin > 0 && is_word_character(code_before(text, match.begin))) return true;
  return end < text.size() && is_word_character(next_code_point(text, &end));
}

std::size_t skip_space_back(std::string_view text, std::size_t begin, std::size_t not_before) {
  while (begin > not_before && is_white_space(code_before(text, begin))) {
    do --begin;
    while ((static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80);
  }
  return begin;
}

std::size_t skip_space(std::string_view text, std::size_t end) {
  for (std::size_t next = end; end < text.size(); end = next) {
    if (!is_white_space(next_code_point(text, &next))) break;
  }
  return end;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const Vocabulary& vocabulary,
                         const Normalizer& normalizer)
    : tokens_(std::move(tokens)) {
  check_ids(vocabulary);
  std::vector<PrefixSearch::Entry> raw;
  std::vector<PrefixSearch::Entry> normalized;
  normalized_text_.reserve(tokens_.size());  // the searches point into it
  for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
    const AddedToken& token = tokens_[i];
    normalized_text_.push_back(token.normalized
                                   ? normalizer.normalize(AlignedText(token.content, 0)).text()
                                   : token.content);
    (token.normalized ? normalized : raw).push_back({normalized_text_.back(), i});
  }
  raw_search_ = PrefixSearch(std::move(raw));
  normalized_search_ = PrefixSearch(std::move(normalized));
}

void AddedTokens::check_ids(const Vocabulary& vocabulary) {
  for (const AddedToken& token : tokens_) {
    const std::string place = concat("/added_tokens: the token '", shortened(token.content), "'");
    if (!by_content_.add(token.content, token.id)) fail_input(place + " is given twice");
    const std::uint32_t entry = vocabulary.find(token.content);
    if (entry != Vocabulary::kNone && vocabulary.id(entry) != token.id) {
      fail_input(concat(place, " has another id in the vocabulary; expected ", vocabulary.id(entry),
                        ", got ", token.id));
    }
    const std::uint32_t holder = vocabulary.entry_of_id(token.id);
    if (entry == Vocabulary::kNone && holder != Vocabulary::kNone) {
      fail_input(concat(place, " has id ", token.id, ", which belongs to '",
                        shortened(vocabulary.piece(holder)), "'"));
    }
  }
  by_id_.resize(tokens_.size());
  std::iota(by_id_.begin(), by_id_.end(), 0U);
  const auto id = [this](std::uint32_t i) { return tokens_[i].id; };
  std::ranges::sort(by_id_, {}, id);
  const auto twice = std::ranges::adjacent_find(by_id_, {}, id);
  if (twice != by_id_.end()) {
    fail_input(concat("/added_tokens: id ", id(*twice), " is given twice"));
  }
}

const AddedToken* AddedTokens::find_id(std::uint32_t wanted) const {
  const auto found = std::ranges::lower_bound(by_id_, wanted, {},
                                              [this](std::uint32_t i) { return tokens_[i].id; });
  return found != by_id_.end() && tokens_[*found].id == wanted ? &tokens_[*found] : nullptr;
}

const AddedToken* AddedTokens::find_content(std::string_view content) const {
  const std::uint32_t i = by_content_.find(content);
  return i == Vocabulary::kNone ? nullptr : &tokens_[i];
}

std::vector<Segment> AddedTokens::split_raw(AlignedText text) const {
  return split(std::move(text), raw_search_);
}

std::vector<Segment> AddedTokens::split_normalized(AlignedText text) const {
  return split(std::move(text), normalized_search_);
}

std::vector<Segment> AddedTokens::split(AlignedText aligned, const PrefixSearch& search) const {
  std::vector<Segment> segments;
  const std::string_view text = aligned.text();
  std::size_t done = 0;  // everything before is in `segments`
  const auto add_text = [&](std::size_t end) {
    if (done < end) segments.push_back({aligned.slice(done, end), Vocabulary::kNone});
  };
  for (std::size_t at = 0; at < text.size() && !search.empty();) {
    Match match{at, at, 0};
    search.for_each_prefix(text.substr(at), [&](std::size_t length, std::uint32_t token) {
      match = {at, at + length, token};
    });
    at = std::max(at + 1, match.end);
    if (match.begin == match.end || match.begin < done) continue;
    const AddedToken& token = tokens_[match.token];
    if (token.single_word && is_within_word(text, match)) continue;
    if (token.lstrip) match.begin = skip_space_back(text, match.begin, done);
    if (token.rstrip) match.end = skip_space(text, match.end);
    add_text(match.begin);
    segments.push_back({aligned.slice(match.begin, match.end), match.token});
    done = match.end;
  }
  if (done == 0) {
    if (!aligned.empty()) segments.push_back({std::move(aligned), Vocabulary::kNone});
    return segments;
  }
  add_text(text.size());
  return segments;
}

std::vector<AddedToken> read_added_tokens(const Json& list, const std::string& place) {
  if (!list.is_array()) fail_config(place, "wrong type", "an array", description(list));
  std::vector<AddedToken> tokens;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const ConfigFields fields(
        list[i], concat(place, "/", i),
        {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
    AddedToken token;
    token.id = fields.whole_number("id", kLargestId);
    token.content = fields.string("content");
    token.single_word = fields.boolean("single_word", false);
    token.lstrip = fields.boolean("lstrip", false);
    token.rstrip = fields.boolean("rstrip", false);
    token.special = fields.boolean("special", false);
    token.normalized = fields.boolean("normalized", !token.special);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace mha::tok
