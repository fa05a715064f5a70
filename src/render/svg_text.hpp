// Numbers, colours and text as they stand in SVG.
#pragma once

#include <string>
#include <string_view>

#include "mha/render/color.hpp"
#include "mha/render/drawing.hpp"

namespace mha::render {

// At most two digits after the point, none where they would be 0.
std::string svg_number(double value);

// For text and for attributes in double quotes. Characters that XML 1.0 does not allow become
// U+FFFD.
std::string xml_escaped(std::string_view utf8);

// The elements of one line of text.
std::string svg_text(const TextOp& op);

// One element for a whole number in a cell.
std::string svg_cell_number(const NumbersOp::Number& number, const NumberGlyphs& glyphs);

}  // namespace mha::render
