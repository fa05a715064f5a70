// Fonts that are installed on this machine, found by fontconfig.
#pragma once

#include <optional>
#include <string>

namespace mha {

struct FontLocation {
  std::string path;
  int face_index = 0;
};

// A scalable or bitmap font file that has a glyph for the code point, or nothing. The first call
// loads fontconfig's tables, which takes some milliseconds: ask only for glyphs that are missing.
std::optional<FontLocation> find_font_with(char32_t code_point);

}  // namespace mha
