// summary.json and output.json: what a run found, in numbers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mha/analysis/head_scores.hpp"
#include "mha/report/json_writer.hpp"
#include "mha/source/source.hpp"

#include "options.hpp"
#include "selection.hpp"

namespace mha::cli {

inline constexpr const char* kSummaryFormat = "mha-viz summary 1";

// How outputs name the content of an input: "fnv1a64:0123456789abcdef".
std::string input_hash_text(std::uint64_t hash);

struct SummaryData {
  const OpenedInput& input;
  const SelectedHeads& heads;
  const HeadScoresAccumulator* scores;  // null when they were not asked for
  const RunOptions& options;
  std::string weights_format;             // what was written: "json", "npy", ...
  std::vector<std::string> notes;         // of this run, beside those of the input
  std::vector<std::string> warnings;      // likewise
  const std::vector<std::string>* files;  // null: none are written
  bool draws;                             // whether there are pictures
  std::vector<std::string> redundant;     // pairs of heads that are nearly copies
};

// Flags that change results, with their values as JSON writes them ("true", "0.5") or as plain
// text, in a fixed order.
using Settings = std::vector<std::pair<std::string, std::string>>;
Settings rule_settings(const RuleDefaults& rule);
// A member for each: a boolean, number or string.
void write_settings(const Settings& settings, JsonWriter* writer);

// What looks wrong with the numbers of the first `n_slots` heads: weights that are not finite, rows
// without a key.
std::vector<std::string> number_warnings(const HeadScoresAccumulator& scores,
                                         const OpenedInput& input, std::size_t n_slots);

// Writes the members of the summary into an object that the caller opened, and closes.
void write_summary_members(const SummaryData& data, JsonWriter* writer);

// The whole of summary.json.
void write_summary(const SummaryData& data, JsonWriter* writer);

// The whole of output.json: outputs[layer][query][d].
void write_outputs(const OpenedInput& input, const std::vector<Matrix>& outputs,
                   JsonWriter* writer);

// What went wrong or right with each of several inputs.
struct InputStatus {
  std::string folder;
  std::string id;
  bool ok = true;
};
void write_index(const std::vector<InputStatus>& inputs, const std::vector<std::string>& files,
                 JsonWriter* writer);

}  // namespace mha::cli
