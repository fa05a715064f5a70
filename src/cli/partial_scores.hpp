// Partial results of `score --shard i/n` as files: every bit of the sums, so that merging them
// gives the bytes of one run over all inputs.
#pragma once

#include <string>
#include <string_view>

#include "score_report.hpp"

namespace mha::cli {

struct Shard {
  std::size_t index = 1;  // from 1
  std::size_t count = 1;
};

// "2/8". Throws Error(kUsage).
Shard parse_shard(const std::string& text);

struct PartialScores {
  Shard shard;
  std::string source;  // what all parts of one run have in common: names and number of the inputs
  ScoreRun run;
};

std::string partial_text(const PartialScores& partial);
// Throws Error(kInput) for a text that is not such a file, naming the field.
PartialScores read_partial(std::string_view text);

}  // namespace mha::cli
