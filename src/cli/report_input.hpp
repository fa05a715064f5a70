// One input of `mha-viz report`: worked out in one pass over the rows, ready to be put into a page.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mha/io/scratch_file.hpp"
#include "mha/render/font.hpp"
#include "mha/source/source.hpp"

#include "analyses.hpp"
#include "console.hpp"
#include "options.hpp"
#include "report_heads.hpp"
#include "report_patches.hpp"

namespace mha::cli {

// Clear labels of heads in the order of their first appearance, which gives each its colour: the
// same in the pictures and in the page.
struct LabelKinds {
  std::vector<std::string> texts;
  void add(const std::string& text);
};

// What the page says and shows of one input. The cells of the heads are in the temporary file.
struct ReportedInput {
  std::string facts;                                         // JSON, for the script
  std::string section;                                       // HTML, for readers without scripts
  std::vector<std::pair<std::string, ScratchPiece>> blocks;  // id of the element, base64 text
};

struct ReportContext {
  const ReportOptions& options;
  render::Typesetter& typesetter;
  ScratchFile* file;
  LabelKinds* kinds;
  Console& console;
  const ReportPatches* patches = nullptr;  // null: keys are no patches
};

// The walkthrough of some heads, as JSON that was compressed and put into the scratch file.
struct ReportSteps {
  std::vector<std::string> heads;
  ScratchPiece piece;
};

// What was worked out about one input.
struct ReportResults {
  const OpenedInput& input;
  const std::string& name;  // what the page calls the input
  std::size_t index = 0;    // of the input in the page
  const SelectedHeads& heads;
  const HeadScoresAccumulator& scores;
  bool has_scores = true;
  const std::vector<PackedHead>& packed;
  const ExtraAnalyses& extra;
  std::optional<ReportSteps> steps;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

// Throws Error(kInput) or Error(kUsage) as `run` does.
ReportedInput report_input(const OpenedInput& input, const std::string& name, std::size_t index,
                           const ReportContext& context);

// The facts of an input as JSON (src/render/html/data.js reads them), and where its cells go.
ReportedInput report_facts(const ReportResults& results);

// The name of the block that holds a head's cells, and of that with the steps of an input.
std::string block_id(std::size_t input, std::size_t head, bool is_sharp);
std::string steps_block_id(std::size_t input);

}  // namespace mha::cli
