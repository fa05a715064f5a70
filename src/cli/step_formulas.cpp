// The formula of each step, in the notation of Vaswani et al. 2017.
#include "mha/base/text.hpp"

#include "step_names.hpp"

namespace mha::cli {
namespace {

// "W_{2}^{Q}": the slice of a head.
std::string slice_name(const char* letter, const char* of, std::size_t head) {
  return concat(letter, "_{", head, "}^{", of, "}");
}

std::string weight_formula(const WalkedHead& head, StepKind kind) {
  const bool is_query = kind == StepKind::kQueryWeight;
  const bool is_value = kind == StepKind::kValueWeight;
  const char* of = is_query ? "Q" : is_value ? "V" : "K";
  const std::size_t number = is_query ? head.id.head : head.walk.kv_head();
  const char* rows = head.walk.shape.is_cross && !is_query ? "d_{context}" : "d_{model}";
  return slice_name("W", of, number) + " ∈ ℝ^{" + rows + " × " + (is_value ? "d_{v}" : "d_{k}") +
         "}";
}

// "Q = X W_{2}^{Q} + b_{2}^{Q}"; only "Q" where it is not computed here.
std::string product_formula(const WalkedHead& head, StepKind kind) {
  const bool is_query = kind == StepKind::kQueries;
  const char* of = is_query ? "Q" : kind == StepKind::kKeys ? "K" : "V";
  const StepKind weight_kind = is_query                  ? StepKind::kQueryWeight
                               : kind == StepKind::kKeys ? StepKind::kKeyWeight
                                                         : StepKind::kValueWeight;
  const Step* weight = head.walk.find(weight_kind);
  const std::string width = kind == StepKind::kValues ? "d_{v}" : "d_{k}";
  if (weight == nullptr) {
    const bool same = head.walk.shape.n_query == head.walk.shape.n_key;
    const char* rows = same ? "n" : is_query ? "n_{query}" : "n_{key}";
    return concat(of, " ∈ ℝ^{", rows, " × ", width, "}");
  }
  const std::size_t number = is_query ? head.id.head : head.walk.kv_head();
  const char* from = head.walk.shape.is_cross && !is_query ? "C" : "X";
  std::string formula = concat(of, " = ", from, " ", slice_name("W", of, number));
  if (!weight->bias.empty()) formula += " + " + slice_name("b", of, number);
  return formula;
}

std::string scores_formula(const WalkedHead& head) {
  if (head.walk.find(StepKind::kQueries) == nullptr) {
    const bool same = head.walk.shape.n_query == head.walk.shape.n_key;
    return same ? "Z ∈ ℝ^{n × n}" : "Z ∈ ℝ^{n_{query} × n_{key}}";
  }
  if (head.walk.find(StepKind::kRotatedQueries) != nullptr) return "S = Q′ K′^{T}";
  return head.walk.find(StepKind::kNormedQueries) != nullptr ? "S = Q̂ K̂^{T}" : "S = Q K^{T}";
}

std::string rotated_formula(const WalkedHead& head, StepKind kind) {
  const bool is_normed = head.walk.find(StepKind::kNormedQueries) != nullptr;
  if (kind == StepKind::kRotatedQueries) {
    return is_normed ? "Q′_{i} = R(p_{i}) Q̂_{i}" : "Q′_{i} = R(p_{i}) Q_{i}";
  }
  return is_normed ? "K′_{j} = R(j) K̂_{j}" : "K′_{j} = R(j) K_{j}";
}

std::string scaled_formula(const WalkedHead& head) {
  const AttentionRule& rule = head.walk.rule;
  if (rule.scale) return "Z = " + step_number(*rule.scale) + " · S";
  return "Z = S / √{d_{k}}";
}

std::string rule_formula(const WalkedHead& head, StepKind kind) {
  const AttentionRule& rule = head.walk.rule;
  const std::string number = std::to_string(head.id.head);
  switch (kind) {
    case StepKind::kCapped: {
      const std::string cap = step_number(*rule.softcap);
      return "Z ← " + cap + " · tanh(Z / " + cap + ")";
    }
    case StepKind::kAlibi:
      return "Z_{ij} ← Z_{ij} − m_{" + number + "} · |p_{i} − j|";
    case StepKind::kBias:
      return "Z ← Z + B";
    case StepKind::kTemperature:
      return "Z ← Z / " + step_number(rule.temperature);
    default:
      return "Z_{ij} ← −∞  where j is hidden from i";
  }
}

std::string concat_formula(const WalkedHead& head) {
  const std::vector<std::string>& names = head.head_names;
  const auto name = [&](std::size_t h) { return "head_{" + names[h].substr(1) + "}"; };
  if (names.size() == 1) return "Concat(" + name(0) + ")";
  const char* between = names.size() > 2 ? ", …, " : ", ";
  return "Concat(" + name(0) + between + name(names.size() - 1) + ")";
}

std::string output_formula(const WalkedHead& head) {
  const Step* weight = head.walk.find(StepKind::kOutputWeight);
  const std::string bias = weight->bias.empty() ? "" : " + b^{O}";
  return "MultiHead = Concat(…) W^{O}" + bias;
}

std::string late_formula(const WalkedHead& head, const Step& step) {
  switch (step.kind) {
    case StepKind::kWeights:
      return "A = softmax(Z)";
    case StepKind::kHeadOutput:
      return concat("head_{", head.id.head, "} = A V");
    case StepKind::kConcat:
      return concat_formula(head);
    case StepKind::kOutputWeight:
      return "W^{O} ∈ ℝ^{h·d_{v} × d_{model}}";
    case StepKind::kOutput:
      return output_formula(head);
    default:
      return "X + MultiHead";
  }
}

}  // namespace

std::string step_formula(const WalkedHead& head, const Step& step) {
  switch (step.kind) {
    case StepKind::kInput:
      return head.walk.shape.is_cross ? "X ∈ ℝ^{n_{query} × d_{model}}" : "X ∈ ℝ^{n × d_{model}}";
    case StepKind::kContext:
      return "C ∈ ℝ^{n_{key} × d_{context}}";
    case StepKind::kKvHeads:
      return concat("g(i) = ⌊i / ", head.walk.layout.n_heads / head.walk.layout.n_kv_heads,
                    "⌋,  g(", head.id.head, ") = ", head.walk.kv_head());
    case StepKind::kQueryWeight:
    case StepKind::kKeyWeight:
    case StepKind::kValueWeight:
      return weight_formula(head, step.kind);
    case StepKind::kQueries:
    case StepKind::kKeys:
    case StepKind::kValues:
      return product_formula(head, step.kind);
    case StepKind::kRotatedQueries:
    case StepKind::kRotatedKeys:
      return rotated_formula(head, step.kind);
    case StepKind::kNormedQueries:
      return "Q̂_{i} = g_{Q} ⊙ Q_{i} / rms(Q_{i})";
    case StepKind::kNormedKeys:
      return "K̂_{j} = g_{K} ⊙ K_{j} / rms(K_{j})";
    case StepKind::kScores:
      return scores_formula(head);
    case StepKind::kScaled:
      return scaled_formula(head);
    default:
      break;
  }
  return step.kind < StepKind::kWeights ? rule_formula(head, step.kind) : late_formula(head, step);
}

}  // namespace mha::cli
