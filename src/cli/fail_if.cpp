#include "fail_if.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha::cli {
namespace {

constexpr const char* kLabelChanged = "label-changed";
constexpr std::string_view kDelta = "delta.";

[[noreturn]] void fail_condition(const std::string& text, const std::string& hint = {}) {
  fail_usage(
      "--fail-if: expected SCORE<X or SCORE>X, with @HEAD or without, like 'previous<0.5@L4H11', "
      "got '" +
          text + "'",
      hint);
}

bool holds(const Condition& condition, double value) {
  return condition.sign == '<' ? value < condition.value : value > condition.value;
}

}  // namespace

Condition parse_condition(const std::string& text, const std::vector<std::string>& known) {
  Condition out;
  out.text = text;
  std::string rest = text;
  if (const std::size_t at = rest.rfind('@'); at != std::string::npos) {
    out.head = rest.substr(at + 1);
    rest.resize(at);
    if (out.head.empty()) fail_condition(text);
  }
  const std::size_t sign = rest.find_first_of("<>");
  if (sign == std::string::npos) {
    out.metric = rest;
    if (rest != kLabelChanged || std::ranges::find(known, rest) == known.end()) {
      fail_condition(text, spelling_hint(rest, known));
    }
    return out;
  }
  out.sign = rest[sign];
  out.metric = rest.substr(0, sign);
  const std::string number = rest.substr(sign + 1);
  char* end = nullptr;
  out.value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0' || !std::isfinite(out.value)) fail_condition(text);
  out.is_delta = out.metric.starts_with(kDelta);
  const std::string base = out.is_delta ? out.metric.substr(kDelta.size()) : out.metric;
  if (std::ranges::find(known, out.metric) == known.end() || base == kLabelChanged) {
    fail_usage("--fail-if: there is no score '" + base + "' here", spelling_hint(base, known));
  }
  out.metric = base;
  return out;
}

std::vector<std::string> conditions_that_hold(const std::vector<Condition>& conditions,
                                              const std::vector<std::string>& heads,
                                              const MetricOf& metric_of) {
  std::vector<std::string> out;
  for (const Condition& condition : conditions) {
    bool is_known = condition.head.empty();
    bool is_defined = false;
    for (std::size_t h = 0; h < heads.size(); ++h) {
      const std::string& head = heads[h];
      if (!condition.head.empty() && condition.head != head) continue;
      is_known = true;
      const std::optional<double> value = metric_of(condition, h);
      if (!value) continue;
      is_defined = true;
      if (condition.sign == 0) {
        if (*value != 0) out.push_back(concat(condition.text, ": the label of ", head, " changed"));
      } else if (holds(condition, *value)) {
        out.push_back(concat(condition.text, ": ", head, " has ", number_text(*value)));
      }
    }
    if (!is_known) fail_usage("--fail-if: there is no head " + condition.head);
    if (!is_defined) {
      fail_usage("--fail-if " + condition.text + ": cannot be checked; no head has a value here");
    }
  }
  return out;
}

}  // namespace mha::cli
