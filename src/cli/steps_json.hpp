// steps.json: every matrix and number of a walkthrough (docs/steps.md).
#pragma once

#include "mha/report/json_writer.hpp"

#include "walked.hpp"

namespace mha::cli {

void write_steps(const WalkedInput& input, JsonWriter* writer);

}  // namespace mha::cli
