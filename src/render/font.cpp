#include "mha/render/font.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <ft2build.h>
#include <hb.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#include FT_TRUETYPE_TABLES_H

#include "glyph_mask.hpp"
#include "mha/base/error.hpp"
#include "text_runs.hpp"

namespace mha::render {
namespace {

constexpr double kBoldness = 1.0 / 30;   // stroke gained by emboldening, em
constexpr double kBoxText = 0.62;        // size of the U+XXXX in a box, em
constexpr double kBoxBottom = -0.2;      // of the box frame, em from the baseline
constexpr double kBoxTop = 0.82;
constexpr std::size_t kLongestLine = 1000;  // characters; more lose their middle
constexpr char32_t kEllipsis = 0x2026;

struct HbDelete {
  void operator()(hb_font_t* font) const { hb_font_destroy(font); }
  void operator()(hb_buffer_t* buffer) const { hb_buffer_destroy(buffer); }
};
struct FtDelete {
  void operator()(FT_Library library) const { FT_Done_FreeType(library); }
  void operator()(FT_Face face) const { FT_Done_Face(face); }
};
using HbFont = std::unique_ptr<hb_font_t, HbDelete>;
using HbBuffer = std::unique_ptr<hb_buffer_t, HbDelete>;
using FtLibrary = std::unique_ptr<FT_LibraryRec_, FtDelete>;
using FtFace = std::unique_ptr<FT_FaceRec_, FtDelete>;

struct Face {
  FontData data;
  FtFace ft;
  HbFont hb;
  double units_per_em = 1;

  bool has(char32_t c) const {
    hb_codepoint_t glyph = 0;
    return hb_font_get_nominal_glyph(hb.get(), c, &glyph) != 0 && glyph != 0;
  }
};

// A glyph at (x, y) px from the start of the line, y up; `size` px to the em.
struct Glyph {
  int face;
  hb_codepoint_t id;
  double x;
  double y;
  double size;
};

// The frame around a U+XXXX, from x0 to x1.
struct MissingBox {
  double x0;
  double x1;
};

struct Line {
  std::vector<Glyph> glyphs;
  std::vector<MissingBox> boxes;
  double advance = 0;
};

// How outlines become pixels.
struct Brush {
  double px;
  bool bold;
  int angle;  // 0, or degrees that are not a multiple of 90
};

HbFont make_hb_font(const FontData& data) {
  hb_blob_t* blob = hb_blob_create(reinterpret_cast<const char*>(data.bytes.data()),
                                   static_cast<unsigned>(data.bytes.size()),
                                   HB_MEMORY_MODE_READONLY, nullptr, nullptr);
  hb_face_t* face = hb_face_create(blob, static_cast<unsigned>(data.face_index));
  HbFont font(hb_font_create(face));
  hb_face_destroy(face);
  hb_blob_destroy(blob);
  return font;
}

CharInfo describe(char32_t c) {
  hb_unicode_funcs_t* unicode = hb_unicode_funcs_get_default();
  const auto category = hb_unicode_general_category(unicode, c);
  const auto script = hb_unicode_script(unicode, c);
  const bool mark = category == HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK ||
                    category == HB_UNICODE_GENERAL_CATEGORY_SPACING_MARK ||
                    category == HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK;
  const bool shared = script == HB_SCRIPT_COMMON || script == HB_SCRIPT_INHERITED ||
                      script == HB_SCRIPT_UNKNOWN;
  const bool joins = mark || is_joining(c);
  const bool modifier = c >= 0x1F3FB && c <= 0x1F3FF;
  return {.code = c,
          .script = shared ? 0U : static_cast<std::uint32_t>(script),
          .joins_before = joins,
          .invisible = (is_joining(c) && !modifier && c != 0x20E3) ||
                       category == HB_UNICODE_GENERAL_CATEGORY_FORMAT};
}

std::vector<CharInfo> describe_all(const std::vector<char32_t>& text) {
  std::vector<CharInfo> out;
  out.reserve(text.size());
  for (char32_t c : text) out.push_back(describe(c));
  return out;
}

// `text` with the characters between the first `head` and last `tail` replaced by an ellipsis.
std::vector<char32_t> with_ellipsis(const std::vector<char32_t>& text, std::size_t head,
                                    std::size_t tail) {
  std::vector<char32_t> out(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(head));
  out.push_back(kEllipsis);
  out.insert(out.end(), text.end() - static_cast<std::ptrdiff_t>(tail), text.end());
  return out;
}

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

// A rectangle's outline of `stroke` px as a FreeType outline: outer contour, then inner.
GlyphImage fill_frame(FT_Library library, const MissingBox& box, const Brush& brush) {
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

GlyphImage place_bitmap(FT_GlyphSlot slot, double scale, const Glyph& glyph, int angle) {
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

struct Typesetter::Impl {
  mutable std::mutex mutex;
  FtLibrary library;
  std::vector<Face> faces;  // the primary first
  FontProvider provider;
  std::map<char32_t, int> fallback;  // answers of the provider, kNoFont included
  std::set<char32_t> missing;
  HbBuffer buffer{hb_buffer_create()};

  int add_face(const FontData& data);
  int face_for(char32_t c);
  int covering(const std::vector<CharInfo>& text, std::size_t begin, std::size_t end);
  Line shape(const std::vector<char32_t>& text, const TextStyle& style);
  void shape_run(const std::vector<CharInfo>& text, const TextRun& run, const TextStyle& style,
                 Line* line);
  void append_missing(char32_t c, double px, Line* line);
  Line fit(const std::vector<char32_t>& text, const TextStyle& style);
  GlyphImage draw(const Glyph& glyph, const Brush& brush);
  TextBitmap rasterise(const Line& line, const TextStyle& style);
};

// Index of the face, kNoFont when the data are not a font.
int Typesetter::Impl::add_face(const FontData& data) {
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const bool same = faces[i].data.bytes.data() == data.bytes.data() &&
                      faces[i].data.face_index == data.face_index;
    if (same) return static_cast<int>(i);
  }
  FT_Face raw = nullptr;
  if (FT_New_Memory_Face(library.get(), data.bytes.data(), static_cast<FT_Long>(data.bytes.size()),
                         data.face_index, &raw) != 0) {
    return kNoFont;
  }
  Face face{data, FtFace(raw), make_hb_font(data), 1};
  face.units_per_em = hb_face_get_upem(hb_font_get_face(face.hb.get()));
  faces.push_back(std::move(face));
  return static_cast<int>(faces.size()) - 1;
}

int Typesetter::Impl::face_for(char32_t c) {
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (faces[i].has(c)) return static_cast<int>(i);
  }
  if (!provider) return kNoFont;
  const auto known = fallback.find(c);
  if (known != fallback.end()) return known->second;
  int found = kNoFont;
  if (const std::optional<FontData> data = provider(c)) found = add_face(*data);
  if (found != kNoFont && !faces[static_cast<std::size_t>(found)].has(c)) found = kNoFont;
  fallback[c] = found;
  return found;
}

int Typesetter::Impl::covering(const std::vector<CharInfo>& text, std::size_t begin,
                               std::size_t end) {
  const auto first_lacking = [&](const Face& face) {
    std::size_t i = begin;
    while (i < end && (text[i].invisible || face.has(text[i].code))) ++i;
    return i;
  };
  const std::size_t lacking = first_lacking(faces[0]);
  if (lacking == end) return 0;
  const int candidate = face_for(text[lacking].code);
  if (candidate == kNoFont) return kNoFont;
  return first_lacking(faces[static_cast<std::size_t>(candidate)]) == end ? candidate : kNoFont;
}

void Typesetter::Impl::append_missing(char32_t c, double px, Line* line) {
  missing.insert(c);
  std::array<char, 16> name{};
  std::snprintf(name.data(), name.size(), "U+%04X", static_cast<unsigned>(c));
  const std::string_view text = name.data();
  const double pad = std::max(2.0, 0.15 * px);
  const double start = line->advance + pad / 2;
  line->advance = start + pad;
  for (const Glyph& g : shape(drawable_text(text), {.px = kBoxText * px}).glyphs) {
    line->glyphs.push_back({g.face, g.id, g.x + line->advance, g.y + 0.08 * px, g.size});
  }
  line->advance += shape(drawable_text(text), {.px = kBoxText * px}).advance + pad;
  line->boxes.push_back({start, line->advance});
  line->advance += pad / 2;
}

void Typesetter::Impl::shape_run(const std::vector<CharInfo>& text, const TextRun& run,
                                 const TextStyle& style, Line* line) {
  const Face& face = faces[static_cast<std::size_t>(run.font)];
  hb_buffer_t* buf = buffer.get();
  hb_buffer_reset(buf);
  hb_buffer_set_content_type(buf, HB_BUFFER_CONTENT_TYPE_UNICODE);
  for (std::size_t i = run.begin; i < run.end; ++i) {
    hb_buffer_add(buf, text[i].code, static_cast<unsigned>(i));
  }
  hb_buffer_set_direction(buf, run.rtl ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
  hb_buffer_guess_segment_properties(buf);
  hb_shape(face.hb.get(), buf, nullptr, 0);
  unsigned n = 0;
  const hb_glyph_info_t* infos = hb_buffer_get_glyph_infos(buf, &n);
  const hb_glyph_position_t* positions = hb_buffer_get_glyph_positions(buf, &n);
  const double scale = style.px / face.units_per_em;
  const double extra = style.bold ? kBoldness * style.px : 0;
  std::vector<char32_t> lacking;
  for (unsigned i = 0; i < n; ++i) {
    if (infos[i].codepoint == 0) lacking.push_back(text[infos[i].cluster].code);
    const double x = line->advance + positions[i].x_offset * scale;
    if (infos[i].codepoint != 0) {
      line->glyphs.push_back(
          {run.font, infos[i].codepoint, x, positions[i].y_offset * scale, style.px});
      line->advance += positions[i].x_advance * scale + (positions[i].x_advance != 0 ? extra : 0);
    }
  }
  for (char32_t c : lacking) append_missing(c, style.px, line);
}

Line Typesetter::Impl::shape(const std::vector<char32_t>& text, const TextStyle& style) {
  const std::vector<CharInfo> chars = describe_all(text);
  const FontChoice fonts{
      [&](std::size_t begin, std::size_t end) { return covering(chars, begin, end); }};
  Line line;
  for (const TextRun& run : visual_order(chars, choose_runs(chars, fonts))) {
    if (run.font != kNoFont) {
      shape_run(chars, run, style, &line);
      continue;
    }
    for (std::size_t i = run.begin; i < run.end; ++i) {
      if (!chars[i].invisible) append_missing(chars[i].code, style.px, &line);
    }
  }
  return line;
}

// The longest form with at most style.max_width: whole, or cut in the middle between clusters.
Line Typesetter::Impl::fit(const std::vector<char32_t>& whole, const TextStyle& style) {
  const std::vector<char32_t> text =
      whole.size() <= kLongestLine ? whole
                                   : with_ellipsis(whole, kLongestLine / 2, kLongestLine / 2);
  Line line = shape(text, style);
  if (line.advance <= style.max_width) return line;
  const std::vector<std::size_t> starts = cluster_starts(describe_all(text));
  const std::size_t n = starts.size() - 1;
  const auto keeping = [&](std::size_t k) {
    const std::size_t head = starts[(k + 1) / 2];
    return shape(with_ellipsis(text, head, text.size() - starts[n - k / 2]), style);
  };
  std::size_t low = 0;
  std::size_t high = n == 0 ? 0 : n - 1;
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (keeping(middle).advance <= style.max_width) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return keeping(low);
}

GlyphImage Typesetter::Impl::draw(const Glyph& glyph, const Brush& brush) {
  FT_Face face = faces[static_cast<std::size_t>(glyph.face)].ft.get();
  const double scale = select_size(face, glyph.size);
  const bool color = FT_HAS_COLOR(face);
  const FT_Int32 hinting = brush.angle == 0 ? FT_LOAD_TARGET_LIGHT : FT_LOAD_NO_HINTING;
  const FT_Int32 flags = color ? FT_LOAD_COLOR | FT_LOAD_RENDER : hinting | FT_LOAD_NO_BITMAP;
  if (FT_Load_Glyph(face, glyph.id, flags) != 0) return {};
  FT_GlyphSlot slot = face->glyph;
  if (slot->format == FT_GLYPH_FORMAT_BITMAP) return place_bitmap(slot, scale, glyph, brush.angle);
  if (slot->format != FT_GLYPH_FORMAT_OUTLINE) return {};
  if (brush.bold) FT_Outline_Embolden(&slot->outline, to_26_6(kBoldness * brush.px));
  // A line without rotation keeps whole pixels in y, where the hints have put its stems.
  const double y = brush.angle == 0 ? std::round(glyph.y) : glyph.y;
  return fill_outline(library.get(), &slot->outline, glyph.x, y, brush.angle);
}

TextBitmap Typesetter::Impl::rasterise(const Line& line, const TextStyle& style) {
  const bool upwards = style.angle == 90;
  const Brush brush{style.px, style.bold, upwards ? 0 : style.angle};
  std::vector<GlyphImage> images;
  images.reserve(line.glyphs.size() + line.boxes.size());
  for (const Glyph& glyph : line.glyphs) images.push_back(draw(glyph, brush));
  for (const MissingBox& box : line.boxes) {
    images.push_back(fill_frame(library.get(), box, brush));
  }
  const TextBitmap flat = join_glyphs(images, line.advance);
  return upwards ? turned_up(flat) : flat;
}

Typesetter::Typesetter(std::optional<FontData> primary, FontProvider fallback)
    : impl_(std::make_unique<Impl>()) {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) {
    throw Error(ErrorKind::kInternal, "cannot start FreeType");
  }
  impl_->library.reset(library);
  impl_->provider = std::move(fallback);
  if (impl_->add_face(primary.value_or(embedded_font())) == kNoFont) {
    fail_input("not a font that can be read");
  }
  if (primary) impl_->add_face(embedded_font());
}

Typesetter::~Typesetter() = default;

TextBitmap Typesetter::set(std::string_view text, const TextStyle& style) {
  const std::lock_guard lock(impl_->mutex);
  return impl_->rasterise(impl_->fit(drawable_text(text), style), style);
}

double Typesetter::width(std::string_view text, const TextStyle& style) {
  const std::lock_guard lock(impl_->mutex);
  return impl_->fit(drawable_text(text), style).advance;
}

LineMetrics Typesetter::metrics(double px) {
  const std::lock_guard lock(impl_->mutex);
  FT_Face face = impl_->faces[0].ft.get();
  const double scale = face->units_per_EM == 0 ? 0 : px / face->units_per_EM;
  LineMetrics m{0.93 * px, 0.24 * px, 0.53 * px, 0.73 * px};
  if (scale > 0) {
    m.ascent = face->ascender * scale;
    m.descent = -face->descender * scale;
  }
  const auto* os2 = static_cast<const TT_OS2*>(FT_Get_Sfnt_Table(face, FT_SFNT_OS2));
  if (os2 != nullptr && os2->version >= 2 && os2->sxHeight > 0 && scale > 0) {
    m.x_height = os2->sxHeight * scale;
    m.cap_height = os2->sCapHeight * scale;
  }
  return m;
}

std::size_t Typesetter::missing_glyphs() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->missing.size();
}

}  // namespace mha::render
