// What the interactive page needs to run the bundled model by itself (src/render/html/live_*.js).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mha/analysis/score_info.hpp"
#include "mha/source/source.hpp"

namespace mha::cli {

struct LivePayload {
  // JSON: config.json, tokenizer.json, which tokens are special, thresholds and texts of labels.
  // Not yet made safe for HTML.
  std::string facts;
  // The safetensors file, its numbers 16-bit floats. Not compressed. Lives as long as the program.
  std::span<const std::uint8_t> tensors;
};

LivePayload live_payload(const std::vector<Threshold>& thresholds);

// Whether the page can show another sentence in the place of this input: the bundled model reads it
// with all of its heads and with the special token in front that the page puts there, too.
bool is_live(const OpenedInput& input);

}  // namespace mha::cli
