// Text that may hold anything, made safe for the places of an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace mha::render {

// For element text and for attributes in double quotes. Control characters and those that turn the
// direction of text are spelt out (U+202E), so that a page reads the same everywhere.
std::string html_text(std::string_view text);

// JSON text for a <script> block that holds data: everything that HTML or JavaScript could take for
// its own (<, >, &, line separators, direction marks, DEL) is written as \uXXXX. Such characters
// occur in the strings of JSON alone, where this changes nothing.
std::string script_json(std::string_view json);

// The characters that turn the direction of the text around them, spelt out: <U+202E>.
std::string spell_direction_marks(std::string_view text);

}  // namespace mha::render
