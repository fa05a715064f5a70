// A drawing as a PDF file of one page.
#pragma once

#include <cstdint>
#include <vector>

#include "mha/render/drawing.hpp"

namespace mha::render {

// Texts can be selected and searched; of each font, the glyphs that are used are embedded. There is
// no date of today in it: the same drawing gives the same bytes.
std::vector<std::uint8_t> encode_pdf(const Drawing& drawing);

}  // namespace mha::render
