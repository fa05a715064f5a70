#include "mha/analysis/score_info.hpp"

namespace mha {
namespace {

constexpr const char* kNoRows = "every row is masked, padding or not finite";
constexpr const char* kNoSuchKey = "no row has such a key";

}  // namespace

const std::array<ScoreInfo, kMeanScores>& mean_score_infos() {
  static const std::array<ScoreInfo, kMeanScores> kInfos = {{
      {"entropy", "mean over rows of -sum_j A ln A", "Clark et al. 2019", "nats", kNoRows},
      {"normalised_entropy", "mean over rows with 2 or more allowed keys of H / ln(allowed)", "",
       "", "no row has two allowed keys"},
      {"effective_keys", "mean over rows of exp(H)", "", "keys", kNoRows},
      {"confidence", "mean over rows of max_j A", "Voita et al. 2019", "", kNoRows},
      {"distance", "mean over rows of sum_j A |p - j| / sum_j A", "Vig and Belinkov 2019", "tokens",
       kNoRows},
      {"signed_distance", "mean over rows of sum_j A (p - j) / sum_j A", "Vig and Belinkov 2019",
       "tokens", kNoRows},
      {"previous", "mean of A at key p - 1, over rows where it is allowed", "Clark et al. 2019", "",
       kNoSuchKey},
      {"self", "mean of A at key p, over rows where it is allowed", "Clark et al. 2019", "",
       kNoSuchKey},
      {"next", "mean of A at key p + 1, over rows where it is allowed", "Clark et al. 2019", "",
       kNoSuchKey},
      {"first_token", "mean of A at key 0, over rows p >= 1 that may see it", "", "", kNoSuchKey},
      {"special", "mean over rows of the share on special tokens", "Clark et al. 2019", "",
       "no row may see a special token"},
      {"punctuation", "mean over rows of the share on punctuation", "Clark et al. 2019", "",
       "no row may see punctuation"},
      {"duplicate",
       "mean over rows whose token occurred before of the share on those earlier occurrences",
       "Olsson et al. 2022", "", "no token repeats"},
      {"induction",
       "mean over rows whose token occurred before of the share on the tokens that followed",
       "Olsson et al. 2022", "", "no token repeats"},
  }};
  return kInfos;
}

const std::vector<ScoreInfo>& other_score_infos() {
  static const std::vector<ScoreInfo> kInfos = {
      {"positional",
       "largest share of rows whose argmax stands at one offset j - p, and that offset",
       "Voita et al. 2019", "", kNoRows},
      {"sink", "mean of A at key k over rows that may see it, for the three largest keys",
       "Gu et al. 2024", "", kNoRows},
      {"tl_duplicate", "sum of A on earlier occurrences / sum of A, over all rows",
       "TransformerLens detect_head", "", "no token repeats"},
      {"tl_induction", "sum of A on tokens that followed earlier occurrences / sum of A",
       "TransformerLens detect_head", "", "no token repeats"},
  };
  return kInfos;
}

std::optional<MeanScore> mean_score_named(std::string_view name) {
  const auto& infos = mean_score_infos();
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return static_cast<MeanScore>(i);
  }
  return std::nullopt;
}

std::vector<std::string> score_names() {
  std::vector<std::string> names;
  for (const ScoreInfo& info : mean_score_infos()) names.emplace_back(info.name);
  for (const ScoreInfo& info : other_score_infos()) names.emplace_back(info.name);
  return names;
}

const std::vector<Threshold>& default_thresholds() {
  static const std::vector<Threshold> kThresholds = {
      {"previous", 0.5}, {"next", 0.5},        {"self", 0.5},      {"first_token", 0.6},
      {"special", 0.6},  {"punctuation", 0.6}, {"duplicate", 0.4}, {"induction", 0.4},
      {"uniform", 0.95}, {"relation", 0.5},
  };
  return kThresholds;
}

}  // namespace mha
