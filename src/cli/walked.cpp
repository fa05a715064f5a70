#include "walked.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mha/attention/precomputed.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/text/tokens.hpp"

#include "figure_parts.hpp"

namespace mha::cli {
namespace {

// One layer of the input, from wherever it is known.
LayerWalk open_layer(const OpenedInput& input, std::size_t layer, std::size_t n_threads) {
  if (input.stack != nullptr) return LayerWalk(input.stack->input_of(layer, n_threads), n_threads);
  if (input.model != nullptr) return LayerWalk(input.model->input_of(layer, n_threads), n_threads);
  if (const auto* qkv = dynamic_cast<const QkvLayers*>(input.rows.get())) {
    return LayerWalk(qkv->data()[layer], n_threads);
  }
  if (const auto* scores = dynamic_cast<const KnownScores*>(input.rows.get())) {
    return LayerWalk(scores->data()[layer]);
  }
  fail_input("holds attention weights that are known already; expected something to compute",
             "steps needs embeddings and weights, or queries and keys, or scores; draw and show "
             "what there is with mha-viz draw");
}

void check_length(const AttentionShape& shape) {
  const std::size_t longest = std::max(shape.n_query, shape.n_key);
  if (longest <= kMostWalkedTokens) return;
  fail_input(concat("is too long to be walked through; expected at most ", kMostWalkedTokens,
                    " tokens, got ", longest),
             "take a part of the text; run and draw show inputs of any length");
}

SelectedHeads heads_to_walk(const OpenedInput& input, const StepsOptions& options,
                            std::vector<std::string>* remarks) {
  SelectedHeads heads = select_heads(input, options.selection);
  for (std::size_t s = 0; s < heads.slots.size(); ++s) {
    if (heads.ids[s].is_mean) {
      fail_usage("--heads: " + heads.names[s] + " is a mean and has no steps of its own");
    }
  }
  if (!options.selection.heads.empty() || heads.slots.size() == 1) return heads;
  remarks->push_back(concat("walks through ", heads.names[0], ", the first of ", heads.slots.size(),
                            " heads; --heads names others"));
  heads.slots.resize(1);
  heads.names.resize(1);
  heads.ids.resize(1);
  return heads;
}

// "it,creature": split at the first comma where both sides are tokens, so that a comma may be one.
TokenPair parse_pair(const std::string& text, const OpenedInput& input) {
  const std::size_t first = text.find(',');
  if (first == std::string::npos) {
    fail_usage("--pair: expected QUERY,KEY like it,creature or 7,1, got '" + text + "'");
  }
  const auto pair_at = [&](std::size_t comma) {
    return TokenPair{find_token("--pair", text.substr(0, comma), input.tokens),
                     find_token("--pair", text.substr(comma + 1), input.key_tokens)};
  };
  for (std::size_t comma = first; comma != std::string::npos; comma = text.find(',', comma + 1)) {
    try {
      return pair_at(comma);
    } catch (const Error&) {
      continue;
    }
  }
  return pair_at(first);  // throws
}

std::vector<bool> special_flags(const std::vector<std::string>& tokens) {
  std::vector<bool> flags;
  for (const std::string& token : tokens) flags.push_back(is_special_token(token));
  return flags;
}

std::size_t bytes_of(const Walkthrough& walk) {
  std::size_t numbers = 0;
  for (const Step& step : walk.steps) numbers += step.values.rows() * step.values.cols();
  return numbers * sizeof(float);
}

std::size_t count_non_finite(const Walkthrough& walk) {
  const Matrix& weights = walk.find(StepKind::kWeights)->values;
  return static_cast<std::size_t>(
      std::count_if(weights.data(), weights.data() + weights.rows() * weights.cols(),
                    [](float weight) { return !std::isfinite(weight); }));
}

void add_head(const SelectedHeads& heads, std::size_t slot, const LayerWalk& layer,
              const StepsOptions& options, WalkedInput* out) {
  WalkedHead head;
  head.id = heads.ids[slot];
  head.name = heads.names[slot];
  for (const HeadName& name : out->input.head_names[heads.slots[slot].layer]) {
    head.head_names.push_back(concat("H", name.head));
  }
  head.walk = layer.head(heads.slots[slot].head);
  const TokenPair pair = options.pair.empty()
                             ? telling_pair(head.walk, {special_flags(out->input.tokens),
                                                        special_flags(out->input.key_tokens)})
                             : parse_pair(options.pair, out->input);
  head.numbers = pair_numbers(head.walk, pair);
  if (const std::size_t n = count_non_finite(head.walk); n > 0) {
    out->warnings.push_back(concat(head.name, ": ", non_finite_text(n)));
  }
  out->heads.push_back(std::move(head));
}

}  // namespace

WalkedInput walk_input(const OpenedInput& input, const StepsOptions& options) {
  WalkedInput out{input, display_tokens(input.tokens), display_tokens(input.key_tokens), {}, {},
                  {}};
  const SelectedHeads heads = heads_to_walk(input, options, &out.remarks);
  std::optional<LayerWalk> layer;
  std::size_t held = 0;
  for (std::size_t s = 0; s < heads.slots.size(); ++s) {
    const std::size_t l = heads.slots[s].layer;
    if (s == 0 || l != heads.slots[s - 1].layer) {
      check_length(input.rows->layers()[l].shape);
      layer.emplace(open_layer(input, l, options.resources.threads));
    }
    add_head(heads, s, *layer, options, &out);
    held += bytes_of(out.heads.back().walk);
    if (held > options.resources.memory) {
      fail_input(concat("the steps of these heads need more memory than allowed; expected at most ",
                        bytes_text(static_cast<double>(options.resources.memory))),
                 "raise --memory, or select fewer heads");
    }
  }
  return out;
}

std::string query_name(const WalkedInput& input, const WalkedHead& head) {
  const std::size_t i = head.numbers.pair.query;
  return concat("\"", input.queries[i], "\" (query ", i, ")");
}

std::string key_name(const WalkedInput& input, const WalkedHead& head) {
  const std::size_t j = head.numbers.pair.key;
  return concat("\"", input.keys[j], "\" (key ", j, ")");
}

}  // namespace mha::cli
