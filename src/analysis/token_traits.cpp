#include "mha/analysis/token_traits.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace mha {
namespace {

std::vector<std::uint32_t> marked(const std::vector<std::uint8_t>& flags) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] != 0) out.push_back(static_cast<std::uint32_t>(i));
  }
  return out;
}

}  // namespace

TokenTraits::TokenTraits(const Input& input)
    : is_special_(input.is_special),
      special_(marked(input.is_special)),
      punctuation_(marked(input.is_punctuation)) {
  if (!input.is_cross) find_repeats(input.key_tokens);
  for (const Input::Pairs& pairs : input.relations) {
    add_relation(input, pairs, false);
    // Queries and keys of cross-attention are not the same words.
    if (!input.is_cross) add_relation(input, pairs, true);
  }
  index_relations(input.n_query);
}

void TokenTraits::find_repeats(const std::vector<std::string>& tokens) {
  std::unordered_map<std::string_view, std::uint32_t> known;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto next = static_cast<std::uint32_t>(positions_.size());
    const std::uint32_t id = known.emplace(tokens[i], next).first->second;
    if (id == next) positions_.emplace_back();
    token_of_.push_back(id);
    rank_.push_back(static_cast<std::uint32_t>(positions_[id].size()));
    positions_[id].push_back(static_cast<std::uint32_t>(i));
  }
}

std::span<const std::uint32_t> TokenTraits::earlier(std::size_t position) const {
  if (position >= token_of_.size()) return {};
  return std::span(positions_[token_of_[position]]).first(rank_[position]);
}

// In self-attention query i stands at key i + offset, so a reversed pair (key, query) is the pair
// (key - offset, query + offset); a key before the first query has no row.
void TokenTraits::add_relation(const Input& input, const Input::Pairs& pairs, bool reversed) {
  const std::size_t offset = input.is_cross ? 0 : input.key_tokens.size() - input.n_query;
  std::map<std::size_t, std::vector<std::size_t>> rows;
  for (const auto& [query, key] : pairs.pairs) {
    if (!reversed) {
      rows[query].push_back(key);
    } else if (key >= offset) {
      rows[key - offset].push_back(query + offset);
    }
  }
  RelationRows out{pairs.name, reversed, {}};
  for (auto& [query, keys] : rows) {
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    out.rows.push_back({query, std::move(keys)});
  }
  relations_.push_back(std::move(out));
}

void TokenTraits::index_relations(std::size_t n_query) {
  if (relations_.empty()) return;
  std::vector<std::vector<RelationEntry>> by_query(n_query);
  for (std::size_t r = 0; r < relations_.size(); ++r) {
    for (const RelationRows::Row& row : relations_[r].rows)
      by_query[row.query].push_back({r, &row});
  }
  for (const std::vector<RelationEntry>& entries : by_query) {
    first_entry_.push_back(entries_.size());
    entries_.insert(entries_.end(), entries.begin(), entries.end());
  }
  first_entry_.push_back(entries_.size());
}

std::span<const TokenTraits::RelationEntry> TokenTraits::relations_of(std::size_t query) const {
  if (first_entry_.empty()) return {};
  return std::span(entries_).subspan(first_entry_[query],
                                     first_entry_[query + 1] - first_entry_[query]);
}

}  // namespace mha
