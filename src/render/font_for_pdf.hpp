// Fonts as cairo takes them.
#pragma once

#include <cairo.h>
#include <map>
#include <memory>
#include <utility>

#include "mha/render/set_text.hpp"

namespace mha::render {

struct CairoDelete {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_font_face_t* face) const { cairo_font_face_destroy(face); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
using CairoContext = std::unique_ptr<cairo_t, CairoDelete>;
using CairoSurface = std::unique_ptr<cairo_surface_t, CairoDelete>;
using CairoFace = std::unique_ptr<cairo_font_face_t, CairoDelete>;
using CairoFontOptions = std::unique_ptr<cairo_font_options_t, CairoDelete>;

// The fonts of one file.
class PdfFonts {
 public:
  // Null for a font that FreeType cannot open.
  cairo_font_face_t* face(const SetFont& font, bool bold);

 private:
  using Key = std::pair<std::pair<const void*, int>, bool>;
  std::map<Key, CairoFace> faces_;
};

}  // namespace mha::render
