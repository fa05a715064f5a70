// One function a command; each returns the exit code.
#pragma once

#include <string>
#include <vector>

#include "console.hpp"
#include "options.hpp"

namespace mha::cli {

inline constexpr int kSomeFailed = 5;     // exit code: some of several inputs failed
inline constexpr int kConditionHeld = 6;  // exit code: a --fail-if held

const std::vector<std::string>& command_names();

int command_run(const RunOptions& options, Console& console);
int command_draw(const DrawOptions& options, Console& console);
int command_score(const ScoreCommandOptions& options, Console& console);
int command_compare(const CompareOptions& options, Console& console);
int command_report(const ReportOptions& options, Console& console);
int command_merge(const MergeOptions& options, Console& console);
int command_steps(const StepsOptions& options, Console& console);
int command_show(const ShowOptions& options, Console& console);
int command_inspect(const InspectOptions& options, Console& console);

}  // namespace mha::cli
