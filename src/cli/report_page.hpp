// The HTML of the interactive page: what can be read without scripts, and the frame around it all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report_input.hpp"

namespace mha::cli {

// Heading, notes, picture (a PNG), further HTML and table of heads of one input.
std::string static_section(const ReportResults& results, const std::vector<std::uint8_t>& picture,
                           const std::string& more);

struct ReportPage {
  std::string title;
  const std::vector<ReportedInput>& inputs;
  const LabelKinds& kinds;
  std::string patches;  // JSON; empty: keys are no patches
  // Further blocks of data: id, type, and text that holds no "<".
  struct Block {
    std::string id;
    std::string type;
    std::string text;
  };
  std::vector<Block> blocks;
};

// Hands the whole file to the sink, piece by piece; the same bytes for the same page.
void write_report_page(const ReportPage& page, ScratchFile* file,
                       const std::function<void(std::string_view)>& sink);

}  // namespace mha::cli
