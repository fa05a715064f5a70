#include "selection.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/text/tokens.hpp"

#include "head_pattern.hpp"

namespace mha::cli {
namespace {

std::optional<std::size_t> parse_number(std::string_view text) {
  std::size_t value = 0;
  return parse_whole(text, &value) ? std::optional(value) : std::nullopt;
}

// "0-3,7" as a set of layer numbers.
std::set<std::size_t> parse_layers(const std::string& text) {
  std::set<std::size_t> layers;
  constexpr std::size_t kMostLayers = 100000;
  for (const std::string& part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse_number(std::string_view(part).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : parse_number(std::string_view(part).substr(dash + 1));
    if (!first || !last || *first > *last || *last > kMostLayers) {
      fail_usage("--layers: expected a list like 0-3,7, got '" + text + "'");
    }
    for (std::size_t layer = *first; layer <= *last; ++layer) layers.insert(layer);
  }
  return layers;
}

bool is_called(const std::string& token, const std::string& text) {
  if (token == text) return true;
  const std::string shown = display_token(token);
  constexpr std::string_view kSpaceMark = "\u00B7";
  return shown == text ||
         (shown.starts_with(kSpaceMark) && shown.substr(kSpaceMark.size()) == text);
}

std::string known_heads(const OpenedInput& input) {
  std::vector<std::string> names;
  for (const auto& layer : input.head_names) {
    for (const HeadName& name : layer) names.push_back(name.text());
  }
  if (names.size() <= 12) return join(names, ", ");
  return names.front() + " to " + names.back();
}

void check_layers_exist(const OpenedInput& input, const std::set<std::size_t>& wanted) {
  for (std::size_t layer : wanted) {
    const bool exists = std::ranges::any_of(
        input.head_names, [layer](const auto& heads) { return heads[0].layer == layer; });
    if (!exists) {
      fail_usage(concat("--layers: there is no layer ", layer),
                 "the input has heads " + known_heads(input));
    }
  }
}

}  // namespace

SelectedHeads select_heads(const OpenedInput& input, const SelectionOptions& options) {
  std::set<std::size_t> layers;
  if (!options.layers.empty()) layers = parse_layers(options.layers);
  check_layers_exist(input, layers);
  std::vector<HeadPattern> patterns;
  if (!options.heads.empty()) patterns = parse_head_patterns("--heads", options.heads);

  SelectedHeads selected;
  const auto add = [&selected](const HeadSlot& slot, const HeadName& name) {
    selected.slots.push_back(slot);
    selected.names.push_back(name.text());
    selected.layer_numbers.push_back(name.layer);
    selected.ids.push_back({name.layer, name.is_mean, name.head});
  };
  for (std::size_t l = 0; l < input.head_names.size(); ++l) {
    const std::size_t layer_number = input.head_names[l][0].layer;
    const bool is_wanted_layer = layers.empty() || layers.contains(layer_number);
    for (std::size_t h = 0; h < input.head_names[l].size(); ++h) {
      const HeadName& name = input.head_names[l][h];
      bool wanted = patterns.empty();
      for (HeadPattern& pattern : patterns) {
        if (!pattern.covers(name)) continue;
        wanted = pattern.used = true;
      }
      if (wanted && is_wanted_layer) add({l, h}, name);
    }
    const bool has_mean = std::ranges::any_of(input.head_names[l], &HeadName::is_mean);
    bool wants_mean = false;
    for (HeadPattern& pattern : patterns) {
      if (has_mean || !pattern.is_mean || (!pattern.any_layer && pattern.layer != layer_number))
        continue;
      wants_mean = pattern.used = true;
    }
    if (wants_mean && is_wanted_layer) add({l, HeadSlot::kMean}, {layer_number, 0, true});
  }
  for (const HeadPattern& pattern : patterns) {
    if (!pattern.used) {
      fail_usage("--heads: there is no head " + pattern.text,
                 "the input has heads " + known_heads(input));
    }
  }
  if (selected.slots.empty()) fail_usage("no head is both in --layers and in --heads");
  return selected;
}

bool selects_part(const SelectionOptions& options) {
  return !options.layers.empty() || !options.heads.empty() || !options.query_range.empty();
}

QueryRange parse_range_option(const std::string& flag, const std::string& text, std::size_t count) {
  const std::size_t dash = text.find('-');
  const auto first = parse_number(std::string_view(text).substr(0, dash));
  const auto last =
      dash == std::string::npos ? first : parse_number(std::string_view(text).substr(dash + 1));
  if (!first || !last || *first > *last || *last >= count) {
    fail_usage(concat(flag, ": expected FIRST-LAST within 0 to ", count - 1, ", got '", text, "'"));
  }
  return {*first, *last + 1};
}

std::size_t find_token(const std::string& flag, const std::string& text,
                       const std::vector<std::string>& tokens) {
  std::vector<std::string> matches;
  std::size_t match = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_called(tokens[i], text)) continue;
    matches.push_back(std::to_string(i));
    match = i;
  }
  if (matches.size() == 1) return match;
  if (const auto index = parse_number(text); index && *index < tokens.size()) return *index;
  if (matches.size() > 1) {
    fail_usage(flag + ": several tokens are '" + text + "'",
               "name one by its index: " + join(matches, ", "));
  }
  fail_usage(concat(flag, ": expected an index from 0 to ", tokens.size() - 1,
                    " or the text of a token, got '", text, "'"),
             spelling_hint(text, tokens));
}

QueryRange select_queries(const OpenedInput& input, const SelectionOptions& options) {
  if (options.query_range.empty()) return {};
  return parse_range_option("--query-range", options.query_range, input.tokens.size());
}

}  // namespace mha::cli
