#include "step_arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <numeric>

#include "mha/base/text.hpp"

#include "step_names.hpp"

namespace mha::cli {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kMinus = "\u2212";
constexpr double kWorthSaying = 0.01;  // of the largest term of a sum

// In brackets where a sign would stand next to another sign.
std::string factor(double value) {
  const std::string text = short_number(value);
  return value < 0 ? "(" + text + ")" : text;
}

// "a + b" or "a − b".
std::string plus(double value) {
  return concat(value < 0 ? kMinus : "+", " ", short_number(std::fabs(value)));
}

// What is not a number counts as large.
float size_of(float value) {
  return std::isnan(value) ? std::numeric_limits<float>::infinity() : std::fabs(value);
}

// "q[4] = 4.00, q[0] = 1.50, …": the numbers of a row that are largest in size.
std::string largest_numbers(const std::string& name, const Matrix& m, std::size_t row) {
  constexpr std::size_t kShown = 3;
  std::vector<std::size_t> columns(m.cols());
  std::iota(columns.begin(), columns.end(), 0);
  std::ranges::stable_sort(columns, [&](std::size_t a, std::size_t b) {
    return size_of(m(row, a)) > size_of(m(row, b));
  });
  std::vector<std::string> parts;
  for (const std::size_t c : columns) {
    if (parts.size() == kShown || (m(row, c) == 0 && !parts.empty())) break;
    parts.push_back(concat(name, "[", c, "] = ", short_number(static_cast<double>(m(row, c)))));
  }
  if (m.cols() > parts.size()) parts.emplace_back("…");
  return join(parts, ", ");
}

// "1.00·2.00 + 0.50·0.30 + …"; `name` stands behind each term, or is empty.
std::string terms_text(const SumOfProducts& sum,
                       const std::function<std::string(std::size_t)>& name) {
  std::vector<std::string> parts;
  for (const Term& term : sum.largest) {
    if (std::fabs(term.product()) < kWorthSaying * std::fabs(sum.largest[0].product())) continue;
    const std::string after = name(term.index);
    parts.push_back(factor(term.a) + "·" + factor(term.b) + (after.empty() ? "" : " " + after));
  }
  if (sum.n_terms > parts.size()) parts.emplace_back("…");
  return join(parts, " + ");
}

const std::string& query_token(const WalkedInput& input, const WalkedHead& head) {
  return input.queries[head.numbers.pair.query];
}

const std::string& key_token(const WalkedInput& input, const WalkedHead& head) {
  return input.keys[head.numbers.pair.key];
}

Lines input_lines(const WalkedInput& input, const WalkedHead& head) {
  return {"Followed from here on: " + query_name(input, head) + " and " + key_name(input, head) +
          "."};
}

Lines vector_lines(const WalkedInput& input, const WalkedHead& head, StepKind kind) {
  const Matrix& values = head.walk.find(kind)->values;
  const bool is_query = kind == StepKind::kQueries || kind == StepKind::kNormedQueries ||
                        kind == StepKind::kRotatedQueries;
  const bool is_normed = kind == StepKind::kNormedQueries || kind == StepKind::kNormedKeys;
  const bool is_rotated = kind == StepKind::kRotatedQueries || kind == StepKind::kRotatedKeys;
  const TokenPair& pair = head.numbers.pair;
  const std::string name = concat(is_query                    ? "q"
                                  : kind == StepKind::kValues ? "v"
                                                              : "k",
                                  is_rotated  ? "′"
                                  : is_normed ? "̂"
                                              : "");
  const std::string& token = is_query ? query_token(input, head) : key_token(input, head);
  Lines lines{token + ": " + largest_numbers(name, values, is_query ? pair.query : pair.key)};
  if (is_rotated) {
    const std::size_t position =
        is_query ? pair.query + head.walk.shape.position_offset() : pair.key;
    const Rope& rope = head.walk.rule.rope;
    const double frequency = rope.frequencies.empty() ? 1 : rope.frequencies.front();
    lines.push_back(concat("at position ", position, " its first pair turns by ",
                           step_number(static_cast<double>(position) * frequency), " rad"));
  }
  return lines;
}

Lines scores_lines(const WalkedInput& input, const WalkedHead& head) {
  const PairNumbers& numbers = head.numbers;
  const double score = numbers.scores.front().second;
  if (!numbers.dot) {
    return {"score of " + query_token(input, head) + " and " + key_token(input, head) + " = " +
            short_number(score)};
  }
  const auto no_name = [](std::size_t) { return std::string(); };
  const bool is_empty = numbers.dot->largest.empty() || numbers.dot->largest[0].product() == 0;
  const std::string sum = is_empty ? "" : terms_text(*numbers.dot, no_name) + " = ";
  return {"q·k = " + sum + short_number(score) + (is_empty ? ", every product is 0" : ""),
          concat("q of ", query_token(input, head), ", k of ", key_token(input, head), "; ",
                 count_text(numbers.dot->n_terms, "term"), ", largest first")};
}

// "before <operation> = after".
std::string score_line(const WalkedHead& head, StepKind kind) {
  const auto& scores = head.numbers.scores;
  const auto at = std::ranges::find(scores, kind, &std::pair<StepKind, double>::first);
  const std::string before = short_number((at - 1)->second);
  const std::string after = " = " + short_number(at->second);
  const AttentionRule& rule = head.walk.rule;
  switch (kind) {
    case StepKind::kScaled:
      return rule.scale ? before + " · " + step_number(*rule.scale) + after
                        : concat(before, " / √", head.walk.layout.d_head, after);
    case StepKind::kCapped: {
      const std::string cap = step_number(*rule.softcap);
      return cap + " · tanh(" + before + " / " + cap + ")" + after;
    }
    case StepKind::kAlibi:
      return concat(before, " ", kMinus, " ", step_number(head.numbers.slope), " · ",
                    head.numbers.distance, after);
    case StepKind::kBias:
      return before + " " + plus(head.numbers.bias) + after;
    default:
      return before + " / " + step_number(rule.temperature) + after;
  }
}

Lines masked_lines(const WalkedInput& input, const WalkedHead& head) {
  const std::string& query = query_token(input, head);
  const std::string& key = key_token(input, head);
  switch (head.numbers.masked_by) {
    case MaskPart::kNone:
      return {query + " may look at " + key + ": " +
              short_number(head.numbers.scores.back().second) + " stays"};
    case MaskPart::kCausal:
      return {"hidden: " + key + " comes after " + query};
    case MaskPart::kWindow:
      return {"hidden: " + key + " is too far from " + query};
    case MaskPart::kValidKeys:
      return {"hidden: " + key + " is padding"};
    case MaskPart::kMask:
      return {"hidden: the mask of the input forbids it"};
    case MaskPart::kBias:
      break;
  }
  return {"hidden: its score is " + std::string(kMinus) + "∞"};
}

Lines weights_lines(const WalkedInput& input, const WalkedHead& head) {
  const PairNumbers& numbers = head.numbers;
  const std::string& query = query_token(input, head);
  const std::string& key = key_token(input, head);
  if (std::isnan(numbers.weight)) {
    return {"the row of " + query + " holds a score that is not a number: so are its weights"};
  }
  if (numbers.row_sum == 0) return {query + " may look at nothing: all its weights are 0"};
  if (numbers.masked_by != MaskPart::kNone) return {key + " is hidden from " + query + ": 0"};
  const double score = numbers.scores.back().second;
  // One line where the pair has the largest score of its row, as it often has.
  return {concat("exp(", short_number(score), " ", kMinus, " ", factor(numbers.row_maximum),
                 ") = ", short_number(numbers.exponential), "   (",
                 short_number(numbers.row_maximum), ": largest of the row)"),
          concat(short_number(numbers.exponential), " / ", short_number(numbers.row_sum),
                 " (sum of the row) = ", short_number(numbers.weight), " of the row of ", query)};
}

Lines head_lines(const WalkedInput& input, const WalkedHead& head) {
  const HeadColumn& column = *head.numbers.head;
  const auto name = [&](std::size_t key) { return "(" + input.keys[key] + ")"; };
  return {concat("column ", column.column, " of ", query_token(input, head), ": ",
                 terms_text(column.sum, name), " = ", short_number(column.sum.total))};
}

Lines concat_lines(const WalkedInput& input, const WalkedHead& head) {
  const std::size_t first = head.walk.head * head.walk.layout.d_value;
  if (!head.numbers.head) return {};
  const std::size_t column = head.numbers.head->column;
  return {concat("column ", column, " of the head is column ", first, " + ", column, " = ",
                 first + column, " here: ", short_number(head.numbers.head->sum.total), " for ",
                 query_token(input, head))};
}

Lines output_lines(const WalkedInput& input, const WalkedHead& head) {
  const OutputColumn& column = *head.numbers.output;
  const bool has_bias = !head.walk.find(StepKind::kOutputWeight)->bias.empty();
  std::string sum = concat(short_number(column.from_head), " (head ", head.id.head, ")");
  if (head.head_names.size() > 1) sum += " " + plus(column.from_others) + " (the others)";
  if (has_bias) sum += " " + plus(column.bias) + " (bias)";
  return {concat("column ", column.column, " of ", query_token(input, head), ": ", sum, " = ",
                 short_number(column.total))};
}

Lines residual_lines(const WalkedInput& input, const WalkedHead& head) {
  if (!head.numbers.output || !head.numbers.output->input) return {};
  const OutputColumn& column = *head.numbers.output;
  return {concat("column ", column.column, " of ", query_token(input, head), ": ",
                 short_number(*column.input), " ", plus(column.total), " = ",
                 short_number(*column.input + column.total))};
}

}  // namespace

std::string short_number(double value) {
  if (std::isnan(value)) return "NaN";
  const std::string sign = value < 0 ? kMinus : "";
  const double size = std::fabs(value);
  if (std::isinf(value)) return sign + "∞";
  if (size != 0 && (size < 0.005 || size >= 100000)) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1e", size);
    return sign + with_minus(text);
  }
  const std::string text = fixed(size, size < 1000 ? 2 : 0);
  return (text == "0.00" ? "" : sign) + text;
}

std::vector<std::string> worked_lines(const WalkedInput& input, const WalkedHead& head,
                                      StepKind kind) {
  switch (kind) {
    case StepKind::kInput:
      return input_lines(input, head);
    case StepKind::kQueries:
    case StepKind::kKeys:
    case StepKind::kValues:
    case StepKind::kNormedQueries:
    case StepKind::kNormedKeys:
    case StepKind::kRotatedQueries:
    case StepKind::kRotatedKeys:
      return vector_lines(input, head, kind);
    case StepKind::kScores:
      return scores_lines(input, head);
    case StepKind::kScaled:
    case StepKind::kCapped:
    case StepKind::kAlibi:
    case StepKind::kBias:
    case StepKind::kTemperature:
      return {score_line(head, kind)};
    case StepKind::kMasked:
      return masked_lines(input, head);
    case StepKind::kWeights:
      return weights_lines(input, head);
    case StepKind::kHeadOutput:
      return head_lines(input, head);
    case StepKind::kConcat:
      return concat_lines(input, head);
    case StepKind::kOutput:
      return output_lines(input, head);
    case StepKind::kResidual:
      return residual_lines(input, head);
    default:
      return {};
  }
}

}  // namespace mha::cli
