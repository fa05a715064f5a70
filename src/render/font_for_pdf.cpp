#include "font_for_pdf.hpp"

#include <cairo-ft.h>

#include "font_raster.hpp"

namespace mha::render {
namespace {

// What a cairo face needs for as long as cairo keeps it, which may be after the file is done.
struct OpenFont {
  FontData data;
  FtLibrary library;
  FtFace face;
};

const cairo_user_data_key_t kOwner = {};

CairoFace open_face(const SetFont& font, bool bold) {
  auto open = std::make_unique<OpenFont>();
  open->data = font.data;
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) return nullptr;
  open->library.reset(library);
  FT_Face face = nullptr;
  if (FT_New_Memory_Face(library, font.data.bytes.data(),
                         static_cast<FT_Long>(font.data.bytes.size()), font.data.face_index,
                         &face) != 0) {
    return nullptr;
  }
  open->face.reset(face);
  CairoFace out(cairo_ft_font_face_create_for_ft_face(face, FT_LOAD_NO_HINTING));
  if (bold) cairo_ft_font_face_set_synthesize(out.get(), CAIRO_FT_SYNTHESIZE_BOLD);
  const auto release = [](void* owned) { delete static_cast<OpenFont*>(owned); };
  if (cairo_font_face_set_user_data(out.get(), &kOwner, open.get(), release) !=
      CAIRO_STATUS_SUCCESS) {
    return nullptr;
  }
  static_cast<void>(open.release());  // now cairo's
  return out;
}

}  // namespace

cairo_font_face_t* PdfFonts::face(const SetFont& font, bool bold) {
  const Key key{{font.data.bytes.data(), font.data.face_index}, bold};
  const auto known = faces_.find(key);
  if (known != faces_.end()) return known->second.get();
  return faces_.emplace(key, open_face(font, bold)).first->second.get();
}

}  // namespace mha::render
