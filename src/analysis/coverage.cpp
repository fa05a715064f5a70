#include "mha/analysis/coverage.hpp"

namespace mha {

std::vector<BestHead> best_heads(const ScoreTotals& totals) {
  std::map<RelationKey, BestHead> best;
  for (const auto& [id, head] : totals.heads) {
    if (id.is_mean) continue;
    for (const auto& [relation, score] : head.pooled.relations) {
      const auto known = best.find(relation);
      if (known == best.end() || score.rate() > known->second.score.rate()) {
        best[relation] = {relation, id, score};
      }
    }
  }
  std::vector<BestHead> out;
  for (auto& [relation, found] : best) out.push_back(std::move(found));
  return out;
}

std::optional<Coverage> coverage_of(const ScoreTotals& totals) {
  Coverage out;
  double sum_of_best = 0;
  for (const BestHead& found : best_heads(totals)) {
    if (found.relation.reversed) continue;
    ++out.relations;
    sum_of_best += found.score.rate();
  }
  if (out.relations == 0) return std::nullopt;
  const auto n = static_cast<double>(out.relations);
  out.many_heads = sum_of_best / n;
  bool any = false;
  for (const auto& [id, head] : totals.heads) {
    if (id.is_mean) continue;
    double sum = 0;
    for (const auto& [relation, score] : head.pooled.relations) {
      if (!relation.reversed) sum += score.rate();
    }
    if (any && sum / n <= out.one_head) continue;
    any = true;
    out.one_head = sum / n;
    out.best = id;
  }
  return out;
}

}  // namespace mha
