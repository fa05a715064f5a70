// What `score` and `merge` print: a table for people, JSON, NDJSON or CSV.
#pragma once

#include <iosfwd>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mha/analysis/coverage.hpp"
#include "mha/analysis/score_totals.hpp"
#include "mha/report/json_writer.hpp"

#include "model_option.hpp"
#include "options.hpp"
#include "score_output.hpp"
#include "summary.hpp"

namespace mha::cli {

// What a model read.
struct InputTokens {
  std::vector<std::string> tokens;
  std::vector<std::size_t> ids;
};

// Everything that a run over inputs found, and what it was asked for; partial results hold the
// same.
struct ScoreRun {
  // Flags that change results, in a fixed order.
  Settings settings;
  ScoreTotals totals;
  // What inputs said of themselves ("random weights, seed 0: ..."): the first few by alphabet.
  std::set<std::string> notes;
  std::optional<ModelEcho> model;     // that computed inputs
  std::optional<InputTokens> tokens;  // where it computed just one

  void add_note(const std::string& note);
  // What an input says of itself, after its sums were added to the totals.
  void add_words_of(const OpenedInput& input);
  void merge(const ScoreRun& other);
};

// How it is shown.
struct ScoreView {
  std::vector<Threshold> thresholds;
  std::string by = "label";  // a score, a relation, "label" or "head"
  std::size_t top = 0;       // 0 = all
  bool colors = false;
  std::size_t window = 0;  // columns of the terminal that shows the table; 0: no limit
};

// Rows that one head was scored on; the most, where heads differ by their masks.
std::uint64_t rows_of(const ScoreTotals& totals);
std::string head_text(const HeadId& id);
// "L00H03": padded, so that files sort as heads do.
std::string padded_head_name(const HeadId& id);
// The value of a score or relation by its name ("previous", "positional", "subject-verb"); nothing
// where no row applies.
std::optional<double> score_value(const HeadScores& scores, const std::string& name);

// Heads in the order asked for, at most `top`. Throws Error(kUsage) for an unknown --by.
std::vector<ScoredHead> ordered_heads(const ScoreRun& run, const ScoreView& view);

void print_score_table(const ScoreRun& run, const ScoreView& view, std::ostream& out);
void write_score_json(const ScoreRun& run, const ScoreView& view, JsonWriter* writer);
void print_score_ndjson(const ScoreRun& run, const ScoreView& view, std::ostream& out);
void print_score_csv(const ScoreRun& run, const ScoreView& view, std::ostream& out);

}  // namespace mha::cli
