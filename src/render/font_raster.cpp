#include "font_raster.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include FT_OUTLINE_H

namespace mha::render {
namespace {

FT_Pos to_26_6(double px) {
  return static_cast<FT_Pos>(std::lround(px * 64));
}

// The outline, moved by (x, y) px (y up) and turned, as pixels.
GlyphImage fill_outline(FT_Library library, FT_Outline* outline, double x, double y, int angle) {
  GlyphImage image;
  const double a = angle * std::numbers::pi / 180;
  FT_Matrix turn{static_cast<FT_Fixed>(std::lround(std::cos(a) * 65536)),
                 static_cast<FT_Fixed>(std::lround(-std::sin(a) * 65536)),
                 static_cast<FT_Fixed>(std::lround(std::sin(a) * 65536)),
                 static_cast<FT_Fixed>(std::lround(std::cos(a) * 65536))};
  FT_Outline_Translate(outline, to_26_6(x), to_26_6(y));
  if (angle != 0) FT_Outline_Transform(outline, &turn);
  FT_BBox box;
  FT_Outline_Get_CBox(outline, &box);
  const auto left = box.xMin >> 6, bottom = box.yMin >> 6;
  const auto right = (box.xMax + 63) >> 6, top = (box.yMax + 63) >> 6;
  if (right <= left || top <= bottom) return image;
  image.left = static_cast<int>(left);
  image.top = static_cast<int>(-top);
  image.width = static_cast<int>(right - left);
  image.height = static_cast<int>(top - bottom);
  image.coverage.resize(static_cast<std::size_t>(image.width) * image.height);
  FT_Outline_Translate(outline, -left * 64, -bottom * 64);
  FT_Bitmap bitmap{};
  bitmap.rows = static_cast<unsigned>(image.height);
  bitmap.width = static_cast<unsigned>(image.width);
  bitmap.pitch = image.width;
  bitmap.buffer = image.coverage.data();
  bitmap.num_grays = 256;
  bitmap.pixel_mode = FT_PIXEL_MODE_GRAY;
  FT_Outline_Get_Bitmap(library, outline, &bitmap);
  return image;
}

// Chooses the size; for a font of bitmaps only, the strike. Returns the factor from the pixels of
// the face to px.
double select_size(FT_Face face, double px) {
  if (FT_IS_SCALABLE(face)) {
    FT_Set_Char_Size(face, 0, static_cast<FT_F26Dot6>(std::lround(px * 64)), 72, 72);
    return 1;
  }
  int best = 0;
  for (int i = 0; i < face->num_fixed_sizes; ++i) {
    const bool large_enough = face->available_sizes[i].y_ppem >= px * 64;
    if (large_enough || i == 0) best = i;
    if (large_enough) break;
  }
  if (face->num_fixed_sizes == 0 || FT_Select_Size(face, best) != 0) return 1;
  return px * 64 / static_cast<double>(face->available_sizes[best].y_ppem);
}

// The bitmap that the face has just loaded, as colour; grey ones become black.
GlyphImage loaded_bitmap(const FT_Bitmap& bitmap) {
  GlyphImage image;
  image.width = static_cast<int>(bitmap.width);
  image.height = static_cast<int>(bitmap.rows);
  image.color.resize(4 * static_cast<std::size_t>(image.width) * image.height);
  for (int y = 0; y < image.height; ++y) {
    const unsigned char* row = bitmap.buffer + static_cast<std::ptrdiff_t>(y) * bitmap.pitch;
    for (int x = 0; x < image.width; ++x) {
      std::uint8_t* to = &image.color[4 * (static_cast<std::size_t>(y) * image.width + x)];
      if (bitmap.pixel_mode == FT_PIXEL_MODE_BGRA) {
        const unsigned char* from = row + 4 * x;
        to[0] = from[2], to[1] = from[1], to[2] = from[0], to[3] = from[3];
      } else if (bitmap.pixel_mode == FT_PIXEL_MODE_GRAY) {
        to[3] = row[x];
      }
    }
  }
  return image;
}

GlyphImage place_bitmap(FT_GlyphSlot slot, double scale, const GlyphSpot& glyph, int angle) {
  const GlyphImage source = loaded_bitmap(slot->bitmap);
  if (source.width == 0 || source.height == 0) return {};
  const double a = -angle * std::numbers::pi / 180;  // y goes down here
  const double c = std::cos(a), s = std::sin(a);
  const double x0 = glyph.x + scale * slot->bitmap_left;
  const double y0 = -glyph.y - scale * slot->bitmap_top;
  return warp_color(source, {.xx = c * scale,
                             .xy = -s * scale,
                             .yx = s * scale,
                             .yy = c * scale,
                             .dx = c * x0 - s * y0,
                             .dy = s * x0 + c * y0});
}

}  // namespace

GlyphImage raster_glyph(FT_Library library, FT_Face face, const GlyphSpot& glyph,
                        const Brush& brush) {
  const double scale = select_size(face, glyph.size);
  const bool color = FT_HAS_COLOR(face);
  const FT_Int32 hinting = brush.angle == 0 ? FT_LOAD_TARGET_LIGHT : FT_LOAD_NO_HINTING;
  const FT_Int32 flags = color ? FT_LOAD_COLOR | FT_LOAD_RENDER : hinting | FT_LOAD_NO_BITMAP;
  if (FT_Load_Glyph(face, glyph.id, flags) != 0) return {};
  FT_GlyphSlot slot = face->glyph;
  if (slot->format == FT_GLYPH_FORMAT_BITMAP) return place_bitmap(slot, scale, glyph, brush.angle);
  if (slot->format != FT_GLYPH_FORMAT_OUTLINE) return {};
  if (brush.bold) FT_Outline_Embolden(&slot->outline, to_26_6(kBoldness * brush.px));
  const double y = brush.angle == 0 ? std::round(glyph.y) : glyph.y;
  return fill_outline(library, &slot->outline, glyph.x, y, brush.angle);
}

// A rectangle's outline of `stroke` px as a FreeType outline: outer contour, then inner.
GlyphImage raster_box(FT_Library library, const MissingBox& box, const Brush& brush) {
  const double stroke = std::max(1.0, std::round(brush.px / 15));
  const double x0 = std::round(box.x0), x1 = std::round(box.x1);
  const double y0 = std::round(kBoxBottom * brush.px), y1 = std::round(kBoxTop * brush.px);
  std::array<FT_Vector, 8> points;
  std::array<char, 8> tags;
  std::array<short, 2> contours = {3, 7};
  const std::array<std::array<double, 2>, 8> corners = {{{x0, y0},
                                                         {x0, y1},
                                                         {x1, y1},
                                                         {x1, y0},
                                                         {x0 + stroke, y0 + stroke},
                                                         {x1 - stroke, y0 + stroke},
                                                         {x1 - stroke, y1 - stroke},
                                                         {x0 + stroke, y1 - stroke}}};
  for (std::size_t i = 0; i < 8; ++i) {
    points[i] = {to_26_6(corners[i][0]), to_26_6(corners[i][1])};
    tags[i] = FT_CURVE_TAG_ON;
  }
  FT_Outline outline{};
  outline.n_contours = 2;
  outline.n_points = 8;
  outline.points = points.data();
  outline.tags = tags.data();
  outline.contours = contours.data();
  return fill_outline(library, &outline, 0, 0, brush.angle);
}

}  // namespace mha::render
