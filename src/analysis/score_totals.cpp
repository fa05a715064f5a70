#include "mha/analysis/score_totals.hpp"

#include <algorithm>
#include <cmath>

namespace mha {

void Spread::add(double mean) {
  low = inputs == 0 ? mean : std::min(low, mean);
  high = inputs == 0 ? mean : std::max(high, mean);
  ++inputs;
  sum.add(mean);
  squares.add(mean * mean);
}

void Spread::merge(const Spread& other) {
  if (other.inputs == 0) return;
  low = inputs == 0 ? other.low : std::min(low, other.low);
  high = inputs == 0 ? other.high : std::max(high, other.high);
  inputs += other.inputs;
  sum.merge(other.sum);
  squares.merge(other.squares);
}

double Spread::deviation() const {
  const auto n = static_cast<double>(inputs);
  const double mean = sum.value() / n;
  return std::sqrt(std::max(0.0, squares.value() / n - mean * mean));
}

void HeadTotals::add(const HeadScores& scores, bool first_is_special_here) {
  pooled.merge(scores);
  for (std::size_t i = 0; i < kMeanScores; ++i) {
    if (scores.means[i].rows > 0) spread[i].add(scores.means[i].mean());
  }
  ++inputs;
  first_special_inputs += first_is_special_here ? 1 : 0;
}

void HeadTotals::merge(const HeadTotals& other) {
  pooled.merge(other.pooled);
  for (std::size_t i = 0; i < kMeanScores; ++i) spread[i].merge(other.spread[i]);
  inputs += other.inputs;
  first_special_inputs += other.first_special_inputs;
}

void ScoreTotals::add_input(std::uint64_t input_hash) {
  ++inputs;
  // Mixed before it is added (the finaliser of splitmix64), so that sums of hashes do not collide.
  std::uint64_t x = input_hash + 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  hash += x ^ (x >> 31);
}

void ScoreTotals::merge(const ScoreTotals& other) {
  for (const auto& [id, totals] : other.heads) heads[id].merge(totals);
  inputs += other.inputs;
  failed += other.failed;
  hash += other.hash;
}

}  // namespace mha
