#include "mha/render/font.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <ft2build.h>
#include <hb.h>
#include FT_FREETYPE_H
#include FT_TRUETYPE_TABLES_H

#include "mha/base/error.hpp"

#include "font_raster.hpp"
#include "text_clusters.hpp"
#include "text_runs.hpp"

namespace mha::render {
namespace {

constexpr double kBoxText = 0.62;           // size of the U+XXXX in a box, em
constexpr double kBoxRise = 0.08;           // of its baseline, em
constexpr std::size_t kLongestLine = 1000;  // characters; more lose their middle
constexpr char32_t kEllipsis = 0x2026;

struct HbDelete {
  void operator()(hb_font_t* font) const { hb_font_destroy(font); }
  void operator()(hb_buffer_t* buffer) const { hb_buffer_destroy(buffer); }
};
using HbFont = std::unique_ptr<hb_font_t, HbDelete>;
using HbBuffer = std::unique_ptr<hb_buffer_t, HbDelete>;

struct Face {
  std::shared_ptr<const SetFont> font;
  FtFace ft;
  HbFont hb;
  double units_per_em = 1;

  bool has(char32_t c) const {
    hb_codepoint_t glyph = 0;
    return hb_font_get_nominal_glyph(hb.get(), c, &glyph) != 0 && glyph != 0;
  }
};

struct Line {
  std::vector<int> faces;  // of each run
  std::vector<SetRun> runs;
  std::vector<MissingBox> boxes;
  double advance = 0;
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
  const bool shared =
      script == HB_SCRIPT_COMMON || script == HB_SCRIPT_INHERITED || script == HB_SCRIPT_UNKNOWN;
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

SetRun moved(SetRun run, double dx, double dy) {
  run.x += dx;
  run.y += dy;
  for (SetRun::Glyph& glyph : run.glyphs) {
    glyph.x += dx;
    glyph.y += dy;
  }
  return run;
}

}  // namespace

struct Typesetter::Impl {
  mutable std::mutex mutex;
  FtLibrary library;
  std::vector<Face> faces;  // the primary first, then the embedded one, then what was asked for
  std::size_t n_own_faces = 0;
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
  TextBitmap rasterise(Line line, const TextStyle& style);
};

// Index of the face, kNoFont when the data are not a font.
int Typesetter::Impl::add_face(const FontData& data) {
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const FontData& known = faces[i].font->data;
    const bool same =
        known.bytes.data() == data.bytes.data() && known.face_index == data.face_index;
    if (same) return static_cast<int>(i);
  }
  FT_Face raw = nullptr;
  if (FT_New_Memory_Face(library.get(), data.bytes.data(), static_cast<FT_Long>(data.bytes.size()),
                         data.face_index, &raw) != 0) {
    return kNoFont;
  }
  SetFont font{data, raw->family_name == nullptr ? "" : raw->family_name, FT_HAS_COLOR(raw) != 0};
  Face face{std::make_shared<SetFont>(std::move(font)), FtFace(raw), make_hb_font(data), 1};
  face.units_per_em = hb_face_get_upem(hb_font_get_face(face.hb.get()));
  faces.push_back(std::move(face));
  return static_cast<int>(faces.size()) - 1;
}

int Typesetter::Impl::face_for(char32_t c) {
  // Only the faces that are always there: what an earlier text has loaded must not matter.
  for (std::size_t i = 0; i < n_own_faces; ++i) {
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
  const double pad = std::max(2.0, 0.15 * px);
  const double start = line->advance + pad / 2;
  line->advance = start + pad;
  const Line inner = shape(drawable_text(name.data()), {.px = kBoxText * px});
  for (std::size_t i = 0; i < inner.runs.size(); ++i) {
    line->faces.push_back(inner.faces[i]);
    line->runs.push_back(moved(inner.runs[i], line->advance, kBoxRise * px));
  }
  line->advance += inner.advance + pad;
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
  SetRun set{face.font, "", run.rtl, style.px, line->advance, 0, 0, {}, {}};
  std::vector<std::size_t> first_chars;  // of each glyph's cluster
  for (unsigned i = 0; i < n; ++i) {
    if (infos[i].codepoint == 0) {
      lacking.push_back(text[infos[i].cluster].code);
      continue;
    }
    const double x = line->advance + positions[i].x_offset * scale;
    set.glyphs.push_back({infos[i].codepoint, x, positions[i].y_offset * scale});
    first_chars.push_back(infos[i].cluster);
    line->advance += positions[i].x_advance * scale + (positions[i].x_advance != 0 ? extra : 0);
  }
  if (!set.glyphs.empty()) {
    set.advance = line->advance - set.x;
    say(text, run, first_chars, &set);
    line->runs.push_back(std::move(set));
    line->faces.push_back(run.font);
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
  const std::vector<char32_t> text = whole.size() <= kLongestLine
                                         ? whole
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

TextBitmap Typesetter::Impl::rasterise(Line line, const TextStyle& style) {
  const bool upwards = style.angle == 90;
  const Brush brush{style.px, style.bold, upwards ? 0 : style.angle};
  std::vector<GlyphImage> images;
  for (std::size_t i = 0; i < line.runs.size(); ++i) {
    FT_Face face = faces[static_cast<std::size_t>(line.faces[i])].ft.get();
    for (const SetRun::Glyph& glyph : line.runs[i].glyphs) {
      const GlyphSpot spot{glyph.id, glyph.x, glyph.y, line.runs[i].size};
      images.push_back(raster_glyph(library.get(), face, spot, brush));
    }
  }
  for (const MissingBox& box : line.boxes) {
    images.push_back(raster_box(library.get(), box, brush));
  }
  TextBitmap flat = join_glyphs(images, line.advance);
  TextBitmap out = upwards ? turned_up(flat) : std::move(flat);
  out.set = std::make_shared<SetText>(
      SetText{style.px, style.bold, style.angle, std::move(line.runs), std::move(line.boxes)});
  return out;
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
  impl_->n_own_faces = impl_->faces.size();
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
