// steps.json: every matrix and number of a walkthrough (docs/steps.md).
#pragma once

#include "mha/report/json_writer.hpp"

#include "walked.hpp"

namespace mha::cli {

// Formulas as one line of text, or (for the page) taken apart: a list of texts and of objects whose
// one member, "sub", "sup" or "root", holds such a list again.
enum class FormulaForm { kPlain, kParts };

void write_steps(const WalkedInput& input, FormulaForm form, JsonWriter* writer);

}  // namespace mha::cli
