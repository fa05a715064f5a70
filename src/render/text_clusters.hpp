// What the glyphs of a run say: its text, and which of its bytes belong to which glyphs.
#pragma once

#include <cstddef>
#include <vector>

#include "mha/render/set_text.hpp"

#include "text_runs.hpp"

namespace mha::render {

// Sets text and clusters of `set` for the characters of `run`. `first_chars` has one for each
// glyph, from left to right: the first character of what the glyph stands for.
void say(const std::vector<CharInfo>& text, const TextRun& run,
         const std::vector<std::size_t>& first_chars, SetRun* set);

}  // namespace mha::render
