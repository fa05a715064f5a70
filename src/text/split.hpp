// Cutting a text at matches of a pattern.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mha::tok {

// A stretch that the pattern matches, or one between matches.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_match = false;
};

// Stretches that cover the whole text.
using Pattern = std::function<std::vector<Stretch>(std::string_view)>;
Pattern pattern_of_regex(std::string_view regex);
Pattern pattern_of_string(const std::string& literal);  // an empty one never matches
Pattern pattern_of_characters(bool (*is_match)(char32_t));
Pattern inverted(Pattern pattern);

// What becomes of matches.
enum class Behavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

// The stretches that remain; is_match means nothing any more.
std::vector<Stretch> apply_behavior(Behavior behavior, const std::vector<Stretch>& stretches);

}  // namespace mha::tok
