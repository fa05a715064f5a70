#include "mha/analysis/head_label.hpp"

#include <algorithm>
#include <map>

namespace mha {
namespace {

double threshold_of(const std::vector<Threshold>& thresholds, std::string_view name) {
  return std::ranges::find(thresholds, name, &Threshold::name)->value;
}

bool can_label(const RelationScore& score) {
  return score.rows >= kFewestRelationRows && score.has_baseline() &&
         score.gain() >= kSmallestRelationGain;
}

// Every name that has rows, in the order of the thresholds, relations last.
std::vector<LabelCandidate> candidates_of(const HeadScores& scores,
                                          const std::vector<Threshold>& thresholds) {
  std::vector<LabelCandidate> out;
  for (const Threshold& threshold : thresholds) {
    const std::string score = threshold.name == "uniform" ? "normalised_entropy" : threshold.name;
    const auto mean = mean_score_named(score);
    if (!mean || scores[*mean].rows == 0) continue;
    out.push_back({threshold.name, scores[*mean].mean(), threshold.value});
  }
  const double rate = threshold_of(thresholds, "relation");
  for (const auto& [key, score] : scores.relations) {
    if (can_label(score)) out.push_back({key.text(), score.rate(), rate});
  }
  return out;
}

}  // namespace

HeadLabel label_head(const HeadScores& scores, const std::vector<Threshold>& thresholds,
                     bool first_is_special) {
  std::vector<LabelCandidate> candidates = candidates_of(scores, thresholds);
  if (first_is_special) {
    const auto first = std::ranges::find(candidates, "first_token", &LabelCandidate::name);
    if (first != candidates.end() && first->excess() > 0) {
      std::erase_if(candidates, [](const LabelCandidate& c) { return c.name == "special"; });
    }
  }
  std::ranges::stable_sort(candidates, [](const LabelCandidate& a, const LabelCandidate& b) {
    return a.excess() > b.excess();
  });
  HeadLabel label;
  if (candidates.empty()) return label;
  label.best = candidates[0];
  if (candidates.size() > 1) label.runner_up = candidates[1];
  label.name = label.best.excess() > 0 ? label.best.name : "mixed";
  return label;
}

std::vector<RelationKey> remarked_relations(const HeadScores& scores,
                                            const std::vector<Threshold>& thresholds) {
  const double rate = threshold_of(thresholds, "relation");
  std::vector<RelationKey> out;
  for (const auto& [key, score] : scores.relations) {
    if (score.rows < kFewestRelationRows && score.rate() >= rate) out.push_back(key);
  }
  return out;
}

std::string label_text(const std::string& name) {
  static const std::map<std::string, std::string> kTexts = {
      {"previous", "previous token"}, {"next", "next token"},
      {"self", "same token"},         {"first_token", "first token"},
      {"special", "special tokens"},  {"duplicate", "duplicate token"},
  };
  const auto text = kTexts.find(name);
  return text != kTexts.end() ? text->second : name;
}

}  // namespace mha
