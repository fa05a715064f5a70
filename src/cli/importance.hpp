// `mha-viz score --importance`: what each head does to the output of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mha/analysis/score_totals.hpp"
#include "mha/model/head_importance.hpp"
#include "mha/report/json_writer.hpp"

#include "console.hpp"
#include "model_option.hpp"
#include "options.hpp"
#include "score_presenter.hpp"
#include "summary.hpp"

namespace mha::cli {

// All that was measured, for the output.
struct ImportanceRun {
  Settings settings;
  AblationEffects effects;
  PredictionMeasure measure = PredictionMeasure::kNone;
  std::vector<HeadId> heads;
  std::vector<std::string> notes;
  std::optional<ModelEcho> model;
  std::uint64_t failed = 0;
  std::uint64_t passes = 0;
};

// In the order and number that the view asks for. Throws Error(kUsage) for an unknown --by.
std::string importance_text(const ImportanceRun& run, const ScoreViewOptions& view);
// Refuses flags of score that have no meaning here. Throws Error(kUsage).
void check_importance_flags(const ScoreCommandOptions& options);

// The command; returns its exit code.
int score_importance(const ScoreCommandOptions& options, const Settings& settings,
                     const ScorePresenter& presenter, Console& console);

}  // namespace mha::cli
