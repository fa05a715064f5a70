// The end of `score` and `merge`, which is the same: a table to a file or to stdout, a figure, and
// conditions that decide the exit code.
#pragma once

#include <string>
#include <vector>

#include "console.hpp"
#include "fail_if.hpp"
#include "options.hpp"
#include "score_report.hpp"

namespace mha::cli {

// The default thresholds with those of --threshold in their place. Throws Error(kUsage).
std::vector<Threshold> parse_thresholds(const std::vector<std::string>& settings);

class ScorePresenter {
 public:
  // Checks flags and the output file before any work. Throws Error(kUsage) or Error(kOutput).
  ScorePresenter(const ScoreViewOptions& view, const std::string& figure,
                 const PictureOptions& picture, Console& console);

  // Throws Error(kUsage) when an output would overwrite this input.
  void check_not_output(const std::string& input) const;
  bool lists_thresholds() const { return options_.list_thresholds; }
  // Prints the table of thresholds.
  void print_thresholds() const;
  // Writes what was asked for and returns the exit code.
  int present(const ScoreRun& run) const;
  // Where text goes: the file named by -o, or stdout.
  void write(const std::string& text) const;

 private:
  std::string render(const ScoreRun& run) const;
  void draw_relations(const ScoreRun& run) const;

  const ScoreViewOptions& options_;
  const std::string& figure_;
  PictureOptions picture_;
  Console& console_;
  ScoreView view_;
};

}  // namespace mha::cli
