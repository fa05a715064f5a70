#include "mha/analysis/walk_pair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mha {
namespace {

constexpr std::size_t kShownTerms = 3;

const Matrix* values_of(const Walkthrough& walk, StepKind kind) {
  const Step* step = walk.find(kind);
  return step == nullptr ? nullptr : &step->values;
}

double at(const Matrix& m, std::size_t i, std::size_t j) {
  return static_cast<double>(m(i, j));
}

// What is not a number counts as large: it decides the sum.
double size_of(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : std::fabs(value);
}

SumOfProducts sum_of(std::vector<Term> terms) {
  SumOfProducts out;
  out.n_terms = terms.size();
  for (const Term& term : terms) out.total += term.product();
  std::ranges::stable_sort(terms, [](const Term& a, const Term& b) {
    return size_of(a.product()) > size_of(b.product());
  });
  terms.resize(std::min(terms.size(), kShownTerms));
  out.largest = std::move(terms);
  return out;
}

std::optional<SumOfProducts> dot_of(const Walkthrough& walk, TokenPair pair) {
  const Matrix* q = nullptr;
  const Matrix* k = nullptr;
  for (const auto& [queries, keys] : {std::pair(StepKind::kRotatedQueries, StepKind::kRotatedKeys),
                                      std::pair(StepKind::kNormedQueries, StepKind::kNormedKeys),
                                      std::pair(StepKind::kQueries, StepKind::kKeys)}) {
    if (q == nullptr) q = values_of(walk, queries);
    if (k == nullptr) k = values_of(walk, keys);
  }
  if (q == nullptr || k == nullptr) return std::nullopt;
  std::vector<Term> terms;
  for (std::size_t c = 0; c < q->cols(); ++c) {
    terms.push_back({c, at(*q, pair.query, c), at(*k, pair.key, c)});
  }
  return sum_of(std::move(terms));
}

// The first part of the rule, in its order, that hides the cell.
MaskPart hidden_by(const Walkthrough& walk, TokenPair pair) {
  const MaskRule& mask = walk.rule.mask;
  const std::size_t position =
      pair.query + (walk.shape.has_positions() ? walk.shape.position_offset() : 0);
  if (mask.causal && pair.key > position) return MaskPart::kCausal;
  const std::size_t apart = pair.key > position ? pair.key - position : position - pair.key;
  if (mask.window && apart >= *mask.window) return MaskPart::kWindow;
  if (!mask.valid_keys.empty() && mask.valid_keys[pair.key] == 0) return MaskPart::kValidKeys;
  const std::size_t cell = pair.query * walk.shape.n_key + pair.key;
  if (!mask.mask.empty() && mask.mask[cell] == 0) return MaskPart::kMask;
  return MaskPart::kBias;
}

void fill_softmax(const Walkthrough& walk, PairNumbers* out) {
  const std::size_t i = out->pair.query;
  const Matrix& weights = walk.find(StepKind::kWeights)->values;
  const Matrix& scores = (walk.find(StepKind::kWeights) - 1)->values;
  out->weight = at(weights, i, out->pair.key);
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < scores.cols(); ++j) {
    if (walk.allows(i, j)) largest = std::max(largest, at(scores, i, j));
  }
  out->row_maximum = largest;
  if (!std::isfinite(largest)) return;
  for (std::size_t j = 0; j < scores.cols(); ++j) {
    if (walk.allows(i, j)) out->row_sum += std::exp(at(scores, i, j) - largest);
  }
  if (walk.allows(i, out->pair.key)) {
    out->exponential = std::exp(at(scores, i, out->pair.key) - largest);
  }
}

std::optional<HeadColumn> head_column(const Walkthrough& walk, TokenPair pair) {
  const Matrix* v = values_of(walk, StepKind::kValues);
  if (v == nullptr || v->cols() == 0) return std::nullopt;
  HeadColumn out;
  for (std::size_t c = 1; c < v->cols(); ++c) {
    if (std::fabs(at(*v, pair.key, c)) > std::fabs(at(*v, pair.key, out.column))) out.column = c;
  }
  const Matrix& weights = walk.find(StepKind::kWeights)->values;
  std::vector<Term> terms;
  for (std::size_t j = 0; j < v->rows(); ++j) {
    terms.push_back({j, at(weights, pair.query, j), at(*v, j, out.column)});
  }
  out.sum = sum_of(std::move(terms));
  return out;
}

// What rows [first, first + n) of W_O make of those columns of the concatenated row.
double part_of_output(const Walkthrough& walk, std::size_t query, std::size_t column,
                      std::size_t first, std::size_t n) {
  const Matrix& concat = walk.find(StepKind::kConcat)->values;
  const Matrix& w_o = walk.find(StepKind::kOutputWeight)->values;
  double sum = 0;
  for (std::size_t r = first; r < first + n; ++r) sum += at(concat, query, r) * at(w_o, r, column);
  return sum;
}

std::optional<OutputColumn> output_column(const Walkthrough& walk, TokenPair pair) {
  const Step* w_o = walk.find(StepKind::kOutputWeight);
  if (w_o == nullptr) return std::nullopt;
  const std::size_t width = walk.layout.d_value;
  const std::size_t first = walk.head * width;
  OutputColumn out;
  for (std::size_t c = 0; c < w_o->values.cols(); ++c) {
    const double part = part_of_output(walk, pair.query, c, first, width);
    if (c > 0 && !(std::fabs(part) > std::fabs(out.from_head))) continue;
    out.column = c;
    out.from_head = part;
  }
  const std::size_t n_rows = w_o->values.rows();
  out.from_others =
      part_of_output(walk, pair.query, out.column, 0, first) +
      part_of_output(walk, pair.query, out.column, first + width, n_rows - first - width);
  if (!w_o->bias.empty()) out.bias = static_cast<double>(w_o->bias[out.column]);
  out.total = out.from_head + out.from_others + out.bias;
  if (walk.find(StepKind::kResidual) != nullptr) {
    out.input = at(*values_of(walk, StepKind::kInput), pair.query, out.column);
  }
  return out;
}

// The first of the largest weights so far.
struct Largest {
  float weight = 0;
  TokenPair pair;

  void take(float other, TokenPair at) {
    if (!(other > weight)) return;
    weight = other;
    pair = at;
  }
};

bool is_dull(const std::vector<bool>& flags, std::size_t token) {
  return !flags.empty() && flags[token];
}

}  // namespace

PairNumbers pair_numbers(const Walkthrough& walk, TokenPair pair) {
  PairNumbers out;
  out.pair = pair;
  out.dot = dot_of(walk, pair);
  for (const Step& step : walk.steps) {
    if (step.kind < StepKind::kScores || step.kind >= StepKind::kMasked) continue;
    out.scores.emplace_back(step.kind, at(step.values, pair.query, pair.key));
  }
  if (walk.find(StepKind::kAlibi) != nullptr) {
    const auto position = static_cast<double>(pair.query + walk.shape.position_offset());
    out.slope = walk.slope;
    out.distance = std::fabs(position - static_cast<double>(pair.key));
  }
  if (!walk.bias.empty()) {
    out.bias = static_cast<double>(walk.bias[pair.query * walk.shape.n_key + pair.key]);
  }
  if (!walk.allows(pair.query, pair.key)) out.masked_by = hidden_by(walk, pair);
  fill_softmax(walk, &out);
  out.head = head_column(walk, pair);
  out.output = output_column(walk, pair);
  return out;
}

TokenPair telling_pair(const Walkthrough& walk, const DullTokens& dull) {
  constexpr float kEnough = 0.1F;  // of the largest weight off the diagonal
  const Matrix& weights = walk.find(StepKind::kWeights)->values;
  const bool has_diagonal = walk.shape.has_positions();
  const std::size_t offset = has_diagonal ? walk.shape.position_offset() : 0;
  Largest any, apart, telling;
  for (std::size_t i = 0; i < weights.rows(); ++i) {
    for (std::size_t j = 0; j < weights.cols(); ++j) {
      const float weight = weights(i, j);
      any.take(weight, {i, j});
      if (has_diagonal && j == i + offset) continue;
      apart.take(weight, {i, j});
      if (!is_dull(dull.queries, i) && !is_dull(dull.keys, j)) telling.take(weight, {i, j});
    }
  }
  if (telling.weight > 0 && telling.weight >= kEnough * apart.weight) return telling.pair;
  return apart.weight > 0 ? apart.pair : any.pair;
}

}  // namespace mha
