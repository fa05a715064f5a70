// `mha-viz compare`: what two inputs have in common and where they differ, as numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mha/analysis/head_label.hpp"
#include "mha/analysis/score_totals.hpp"
#include "mha/analysis/similarity.hpp"
#include "mha/report/json_writer.hpp"
#include "mha/source/source.hpp"

#include "model_option.hpp"
#include "options.hpp"
#include "selection.hpp"

namespace mha::cli {

// One of the two: all that stands in one INPUT.
struct ComparedSide {
  std::string name;                // as on the command line
  std::string title;               // its id, or the name of the file: for pictures
  std::optional<ModelEcho> model;  // that computed it
  ScoreTotals totals;
  std::optional<OpenedInput> input;  // when there is just one
  SelectedHeads heads;               // of that input
};

struct ScoreChange {
  std::string name;  // a score or a relation
  double a = 0;
  double b = 0;
  double delta() const { return b - a; }
};

struct HeadChange {
  HeadId id;
  HeadLabel label_a;
  HeadLabel label_b;
  std::vector<ScoreChange> changes;  // of every score that both have, in the order of the tables
  std::vector<std::size_t> by_size;  // indices of scores between 0 and 1, largest change first
  std::optional<PairDistance> js;    // where the token counts agree
  bool label_changed() const { return label_a.name != label_b.name; }
  double largest() const;  // of the changes of by_size, and js
};

struct Comparison {
  std::vector<HeadChange> heads;  // largest change first
  std::vector<std::string> only_in_a;
  std::vector<std::string> only_in_b;
  bool same_shape = false;  // one input on each side, with the same numbers of tokens
  std::vector<std::size_t> differing_tokens;  // positions of keys whose tokens differ
};

Comparison compare_sides(const ComparedSide& a, const ComparedSide& b,
                         const std::vector<Threshold>& thresholds);

std::string comparison_table(const ComparedSide& a, const ComparedSide& b,
                             const Comparison& comparison, std::size_t top);
void write_comparison(const ComparedSide& a, const ComparedSide& b, const Comparison& comparison,
                      JsonWriter* writer);
std::string comparison_csv(const Comparison& comparison);

}  // namespace mha::cli
