// The analyses of one input beside its heatmaps: which were asked for, which apply, and their
// files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contribution_output.hpp"
#include "head_distances_output.hpp"
#include "output_folder.hpp"

namespace mha::cli {

// --analysis scores,similarity,map,contribution,rollout | all | none.
struct AnalysisSet {
  bool scores = false;
  bool similarity = false;
  bool map = false;
  bool contribution = false;
  bool rollout = false;
  bool is_all = false;  // what does not apply to an input is left out, with a note
};

// Throws Error(kUsage) for an unknown name.
AnalysisSet parse_analyses(const std::string& text);
std::vector<std::string> analysis_names();

// "0,5,11": queries by index. Throws Error(kUsage) for what is no list or beyond the input.
std::vector<std::size_t> parse_tokens(const std::string& flag, const std::string& text,
                                      std::size_t count);

// What an analysis needs to know.
struct AnalysisRequest {
  const OpenedInput& input;
  const SelectedHeads& heads;
  double groups_at = -1;            // below 0: half of the largest merge distance
  std::vector<std::size_t> follow;  // tokens of rollout and flow
  bool is_part = false;             // some heads, layers or queries alone were selected
  SimilarityOptions similarity;
  StreamOptions stream;
};

class ExtraAnalyses {
 public:
  // Works out everything of the set but the scores. Throws Error(kInput) for an analysis that was
  // named and does not apply.
  ExtraAnalyses(const AnalysisSet& set, const AnalysisRequest& request);

  const std::vector<std::string>& notes() const { return notes_; }
  // What was worked out; null for the rest.
  const HeadLikeness* likeness() const { return likeness_.get(); }
  const HeadContributions* contributions() const { return contributions_.get(); }
  // Pairs of heads that are nearly copies; empty where that was not asked for.
  std::vector<std::string> redundant() const;
  // Writes JSON below folder/prefix, and pictures where there is a typesetter. `labels` of the
  // heads colour the map. Returns the names of the files.
  std::vector<std::string> write(OutputFolder& folder, const std::string& prefix,
                                 const std::vector<std::string>& labels,
                                 const PictureOptions& options,
                                 render::Typesetter* typesetter) const;

 private:
  void follow();
  bool applies(bool wanted, const std::string& reason);

  const AnalysisSet set_;
  const AnalysisRequest& request_;
  std::vector<std::string> notes_;
  std::unique_ptr<HeadLikeness> likeness_;
  std::unique_ptr<HeadContributions> contributions_;
  std::unique_ptr<LayersTogether> layers_;
};

}  // namespace mha::cli
