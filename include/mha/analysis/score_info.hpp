// The scores of a head: names, formulas, sources, thresholds. One table that code, output and
// documents agree on; docs/scores.md explains it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

// Scores that are means over rows.
enum class MeanScore : std::size_t {
  kEntropy,
  kNormalisedEntropy,
  kEffectiveKeys,
  kConfidence,
  kDistance,
  kSignedDistance,
  kPrevious,
  kSelf,
  kNext,
  kFirstToken,
  kSpecial,
  kPunctuation,
  kDuplicate,
  kInduction,
};
inline constexpr std::size_t kMeanScores = 14;

struct ScoreInfo {
  std::string_view name;     // in JSON, on the command line and in tables
  std::string_view formula;  // in words and symbols
  std::string_view source;   // the paper that it follows, or ""
  std::string_view unit;     // "nats", "tokens", or ""
  std::string_view reason;   // why no row may apply
};

// In the order of MeanScore.
const std::array<ScoreInfo, kMeanScores>& mean_score_infos();
// "positional", "sink", "tl_duplicate", "tl_induction": scores that are not means over rows.
const std::vector<ScoreInfo>& other_score_infos();

inline const ScoreInfo& info_of(MeanScore score) {
  return mean_score_infos()[static_cast<std::size_t>(score)];
}
std::optional<MeanScore> mean_score_named(std::string_view name);
// Every name that `score` knows, in the order of the tables.
std::vector<std::string> score_names();

// From which score on a head is called by a name. "relation" holds for the rate of every relation;
// "uniform" for the normalised entropy.
struct Threshold {
  std::string name;
  double value;
};
const std::vector<Threshold>& default_thresholds();

// A relation labels a head from this many rows and this gain on.
inline constexpr std::size_t kFewestRelationRows = 5;
inline constexpr double kSmallestRelationGain = 0.10;

}  // namespace mha
