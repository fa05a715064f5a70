// --fail-if: conditions on scores that make a command exit with 6, for checks in CI.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mha::cli {

// "previous<0.5@L4H11", "delta.previous<-0.1", "js>0.1", "label-changed".
struct Condition {
  std::string text;    // as given
  std::string metric;  // "previous", "js", "label-changed", a relation's name
  bool is_delta = false;
  char sign = 0;  // '<' or '>'; 0 for label-changed
  double value = 0;
  std::string head;  // "" = any head
};

// Throws Error(kUsage) for what is not a condition, or names no metric of `known`.
Condition parse_condition(const std::string& text, const std::vector<std::string>& known);

// The value of a condition's metric for the head at this place of the list; nothing where it is not
// defined.
using MetricOf = std::function<std::optional<double>(const Condition&, std::size_t head)>;

// One sentence for each condition that holds, naming a head and its value. Throws Error(kUsage)
// when a condition names a head that is not there, or no head has a value for it.
std::vector<std::string> conditions_that_hold(const std::vector<Condition>& conditions,
                                              const std::vector<std::string>& heads,
                                              const MetricOf& metric_of);

}  // namespace mha::cli
