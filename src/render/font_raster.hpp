// FreeType outlines and bitmaps as pixels. (Part of font.cpp in all but length: no other file sees
// FreeType or HarfBuzz.)
#pragma once

#include <memory>

#include <ft2build.h>
#include FT_FREETYPE_H

#include "mha/render/set_text.hpp"

#include "glyph_mask.hpp"

namespace mha::render {

struct FtDelete {
  void operator()(FT_Library library) const { FT_Done_FreeType(library); }
  void operator()(FT_Face face) const { FT_Done_Face(face); }
};
using FtLibrary = std::unique_ptr<FT_LibraryRec_, FtDelete>;
using FtFace = std::unique_ptr<FT_FaceRec_, FtDelete>;

inline constexpr double kBoldness = 1.0 / 30;  // stroke gained by emboldening, em

// A glyph of a face, its origin at (x, y) px from the start of the line, y up; `size` px to the em.
struct GlyphSpot {
  unsigned id = 0;
  double x = 0;
  double y = 0;
  double size = 0;
};

// How outlines become pixels. Level text is hinted, and keeps to whole pixels in y.
struct Brush {
  double px = 0;  // em of the line
  bool bold = false;
  int angle = 0;  // degrees counter-clockwise
};

// Empty for a blank, and for a glyph that the face cannot load.
GlyphImage raster_glyph(FT_Library library, FT_Face face, const GlyphSpot& glyph,
                        const Brush& brush);

// The frame around a U+XXXX that stands for a missing glyph.
GlyphImage raster_box(FT_Library library, const MissingBox& box, const Brush& brush);

}  // namespace mha::render
