// `run` for one input: plan, compute in one pass over the rows, write.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "mha/analysis/dense_weights.hpp"
#include "mha/analysis/head_scores.hpp"
#include "mha/analysis/top_edges.hpp"
#include "mha/analysis/value_norms.hpp"

#include "analyses.hpp"
#include "console.hpp"
#include "figures.hpp"
#include "memory_check.hpp"
#include "options.hpp"
#include "output_folder.hpp"
#include "predictions_output.hpp"
#include "selection.hpp"
#include "summary.hpp"
#include "weights_output.hpp"
#include "weights_stream.hpp"

namespace mha::cli {

class InputRun {
 public:
  // Selects heads and checks sizes; throws before any work when something does not fit.
  // `to_stdout`: one JSON document, no pictures, no outputs.
  InputRun(const OpenedInput& input, const RunOptions& options, bool to_stdout);

  // Opens the files that are written while the work goes on, below folder/prefix.
  void begin(OutputFolder& folder, const std::string& prefix);
  void compute(Console& console);
  // What looks wrong with the numbers, known after compute().
  std::vector<std::string> warnings() const;
  // What the user should know about what is not written, known after compute().
  std::vector<std::string> notes() const;

  // Writes all files below folder/prefix. `typesetter` is null when nothing is drawn.
  void write(OutputFolder& folder, const std::string& prefix, render::Typesetter* typesetter);
  // Prints one JSON document.
  void print(std::ostream& out, bool compact) const;

 private:
  void write_pictures(OutputFolder& folder, const std::string& prefix,
                      render::Typesetter& typesetter);
  // Where the pictures of heads go, and what they are.
  struct HeadFiles {
    const std::string& prefix;
    std::string folder;
    std::string overview;
    bool is_norm;
  };
  void write_heads(CellMapsAccumulator& cells, const HeadFiles& to, OutputFolder* folder,
                   render::Typesetter* typesetter);
  void write_layer_maps(OutputFolder& folder, const std::string& prefix,
                        render::Typesetter& typesetter);
  void write_edges(OutputFile* file) const;
  std::vector<std::string> head_labels() const;
  SummaryData summary_data(const std::vector<std::string>* files) const;
  void write_weights_file(OutputFolder& folder, const std::string& prefix);
  std::string weights_name() const { return "attention." + weights_format_name(weights_.format); }
  WeightsData weights_data() const { return {input_, heads_, analysis_, *dense_}; }

  const OpenedInput& input_;
  const RunOptions& options_;
  const bool to_stdout_;
  const SelectedHeads heads_;
  const AnalysisSet set_;
  Analysis analysis_;
  MapWindow window_;
  WeightsChoice weights_;
  bool draws_ = false;
  bool keeps_outputs_ = false;
  BlockPlan blocks_;
  TokenTraits traits_;
  std::unique_ptr<HeadScoresAccumulator> scores_;   // unless --analysis none
  std::unique_ptr<TopEdges> edges_;                 // with --top-k
  std::unique_ptr<DenseWeights> dense_;             // when weights are written
  std::unique_ptr<WeightsStream> stream_;           // in a raw format, from begin() on
  std::unique_ptr<CellMapsAccumulator> maps_;       // when pictures are drawn
  std::unique_ptr<ValueNorms> norms_;               // with --map norm ...
  std::unique_ptr<CellMapsAccumulator> norm_maps_;  // ...
  std::unique_ptr<ScaledRows> scaled_;              // ...
  std::unique_ptr<AnalysisRequest> request_;
  std::unique_ptr<ExtraAnalyses> extra_;  // after compute()
  std::vector<Matrix> outputs_;
  std::vector<Prediction> predictions_;  // with --predict
  std::vector<std::string> files_;       // below the prefix
};

}  // namespace mha::cli
