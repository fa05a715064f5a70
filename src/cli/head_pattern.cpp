#include "head_pattern.hpp"

#include <string_view>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha::cli {
namespace {

std::optional<std::size_t> parse_number(std::string_view text) {
  std::size_t value = 0;
  return parse_whole(text, &value) ? std::optional(value) : std::nullopt;
}

HeadPattern parse_pattern(const std::string& flag, const std::string& text) {
  HeadPattern pattern;
  pattern.text = text;
  const auto fail = [&] {
    fail_usage(flag + ": expected names like L4H11, L5H* or L5mean, got '" + text + "'");
  };
  const std::string_view rest = std::string_view(text).substr(text.starts_with('L') ? 1 : 0);
  const std::size_t end = rest.find_first_of("Hm");
  if (!text.starts_with('L') || end == std::string_view::npos) fail();
  const std::string_view layer = rest.substr(0, end);
  const std::string_view head = rest.substr(end);
  pattern.any_layer = layer == "*";
  if (const auto number = parse_number(layer)) {
    pattern.layer = *number;
  } else if (!pattern.any_layer) {
    fail();
  }
  if (head == "mean") {
    pattern.is_mean = true;
  } else if (head != "H*") {
    pattern.head = parse_number(head.substr(1));
    if (!pattern.head || head[0] != 'H') fail();
  }
  return pattern;
}

}  // namespace

bool HeadPattern::covers(const HeadName& name) const {
  if (!any_layer && name.layer != layer) return false;
  return name.is_mean ? is_mean : !is_mean && (!head || *head == name.head);
}

std::vector<HeadPattern> parse_head_patterns(const std::string& flag, const std::string& list) {
  std::vector<HeadPattern> patterns;
  for (const std::string& text : split(list, ',')) patterns.push_back(parse_pattern(flag, text));
  return patterns;
}

}  // namespace mha::cli
