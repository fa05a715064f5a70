#include "pdf.hpp"

#include <algorithm>
#include <cairo-pdf.h>
#include <cmath>
#include <numbers>
#include <string>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/render/figure_file.hpp"

#include "cell_shapes.hpp"
#include "font_for_pdf.hpp"
#include "markers.hpp"

namespace mha::render {
namespace {

// Any day will do, as long as it is always the same.
constexpr const char* kDate = "2000-01-01T00:00:00Z";

// Where cells meet, each reaches a little under the next, so that no viewer's soft edges let the
// paper shine through; in parts of a pixel.
constexpr double kUnderlap = 0.5;

cairo_status_t append_bytes(void* to, const unsigned char* data, unsigned length) {
  auto* bytes = static_cast<std::vector<std::uint8_t>*>(to);
  bytes->insert(bytes->end(), data, data + length);
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error(ErrorKind::kInternal, concat("cannot write a PDF: ", cairo_status_to_string(status)));
}

// 4 bytes a pixel, as cairo has them.
CairoSurface make_surface(cairo_format_t format, int width, int height) {
  CairoSurface surface(cairo_image_surface_create(format, width, height));
  check(cairo_surface_status(surface.get()));
  cairo_surface_flush(surface.get());
  return surface;
}

void put_pixel(cairo_surface_t* surface, int x, int y, std::uint32_t argb) {
  unsigned char* row = cairo_image_surface_get_data(surface) +
                       static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(surface);
  reinterpret_cast<std::uint32_t*>(row)[x] = argb;
}

std::uint32_t argb(std::uint32_t a, std::uint32_t r, std::uint32_t g, std::uint32_t b) {
  return a << 24 | r << 16 | g << 8 | b;
}

class PdfWriter {
 public:
  explicit PdfWriter(const Drawing& drawing);
  std::vector<std::uint8_t> write();

  void operator()(const FillOp& op);
  void operator()(const FrameOp& op);
  void operator()(const HatchOp& op);
  void operator()(const TextOp& op);
  void operator()(const CellsOp& op);
  void operator()(const NumbersOp& op);
  void operator()(const MarkerOp& op);
  void operator()(const CurveOp& op);

 private:
  void set_color(Rgb color, double opacity = 1);
  void rectangle(double x, double y, double width, double height, Rgb color);
  void rectangle(const Rect& rect, Rgb color) {
    rectangle(rect.x, rect.y, rect.width, rect.height, color);
  }
  void run(const SetRun& run, bool bold);
  void color_glyphs(const TextOp& op);
  void cell_image(const CellsOp& op);
  void shape(const Marker& marker, PointF middle, double inset, Rgb color);

  const Drawing& drawing_;
  bool embeds_cells_;
  std::vector<std::uint8_t> bytes_;
  CairoSurface surface_;
  CairoContext context_;
  PdfFonts fonts_;
};

PdfWriter::PdfWriter(const Drawing& drawing)
    : drawing_(drawing), embeds_cells_(has_too_many_cells(drawing)) {
  const double points = points_per_pixel(drawing);
  surface_.reset(cairo_pdf_surface_create_for_stream(append_bytes, &bytes_, drawing.width * points,
                                                     drawing.height * points));
  check(cairo_surface_status(surface_.get()));
  cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_CREATE_DATE, kDate);
  cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_CREATOR, "mha-viz");
  if (!drawing.title.empty()) {
    cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_TITLE, drawing.title.c_str());
  }
  context_.reset(cairo_create(surface_.get()));
  cairo_scale(context_.get(), points, points);
  const CairoFontOptions options(cairo_font_options_create());
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(context_.get(), options.get());
}

std::vector<std::uint8_t> PdfWriter::write() {
  rectangle(0, 0, drawing_.width, drawing_.height, drawing_.background);
  for (const DrawingOp& op : drawing_.ops) {
    std::visit([this](const auto& each) { (*this)(each); }, op);
  }
  check(cairo_status(context_.get()));
  cairo_surface_finish(surface_.get());
  check(cairo_surface_status(surface_.get()));
  return std::move(bytes_);
}

void PdfWriter::set_color(Rgb color, double opacity) {
  cairo_t* cr = context_.get();
  if (opacity < 1) {
    cairo_set_source_rgba(cr, color.r / 255.0, color.g / 255.0, color.b / 255.0, opacity);
  } else {
    cairo_set_source_rgb(cr, color.r / 255.0, color.g / 255.0, color.b / 255.0);
  }
}

void PdfWriter::rectangle(double x, double y, double width, double height, Rgb color) {
  set_color(color);
  cairo_rectangle(context_.get(), x, y, width, height);
  cairo_fill(context_.get());
}

void PdfWriter::operator()(const FillOp& op) {
  rectangle(op.rect, op.color);
}

void PdfWriter::operator()(const FrameOp& op) {
  const double half = op.stroke / 2.0;
  set_color(op.color);
  cairo_set_line_width(context_.get(), op.stroke);
  cairo_rectangle(context_.get(), op.rect.x - half, op.rect.y - half, op.rect.width + op.stroke,
                  op.rect.height + op.stroke);
  cairo_stroke(context_.get());
}

// Bands where (x + y) modulo the spacing is less than the stroke, as in pixels.
void PdfWriter::operator()(const HatchOp& op) {
  cairo_t* cr = context_.get();
  const Rect& r = op.rect;
  cairo_save(cr);
  cairo_rectangle(cr, r.x, r.y, r.width, r.height);
  cairo_clip(cr);
  set_color(op.color);
  const int first = (r.x + r.y) / op.spacing * op.spacing;
  for (int sum = first; sum < r.right() + r.bottom(); sum += op.spacing) {
    cairo_move_to(cr, sum - r.y, r.y);
    cairo_line_to(cr, sum + op.stroke - r.y, r.y);
    cairo_line_to(cr, sum + op.stroke - r.bottom(), r.bottom());
    cairo_line_to(cr, sum - r.bottom(), r.bottom());
    cairo_close_path(cr);
  }
  cairo_fill(cr);
  cairo_restore(cr);
}

void PdfWriter::run(const SetRun& run, bool bold) {
  cairo_t* cr = context_.get();
  cairo_font_face_t* face = run.font ? fonts_.face(*run.font, bold) : nullptr;
  if (face == nullptr) return;
  std::vector<cairo_glyph_t> glyphs;
  for (const SetRun::Glyph& glyph : run.glyphs) glyphs.push_back({glyph.id, glyph.x, -glyph.y});
  std::vector<cairo_text_cluster_t> clusters;
  for (const SetRun::Cluster& cluster : run.clusters) {
    clusters.push_back({cluster.bytes, cluster.glyphs});
  }
  cairo_set_font_face(cr, face);
  cairo_set_font_size(cr, run.size);
  const auto flags =
      run.rtl ? CAIRO_TEXT_CLUSTER_FLAG_BACKWARD : static_cast<cairo_text_cluster_flags_t>(0);
  cairo_show_text_glyphs(cr, run.text.data(), static_cast<int>(run.text.size()), glyphs.data(),
                         static_cast<int>(glyphs.size()), clusters.data(),
                         static_cast<int>(clusters.size()), flags);
}

void PdfWriter::operator()(const TextOp& op) {
  if (!op.text.set) return;
  cairo_t* cr = context_.get();
  const SetText& text = *op.text.set;
  cairo_save(cr);
  cairo_translate(cr, op.x, op.y);
  cairo_rotate(cr, -text.angle * std::numbers::pi / 180);
  set_color(op.color);
  for (const SetRun& each : text.runs) {
    if (!each.font->is_color) run(each, text.bold);
  }
  const double stroke = std::max(1.0, std::round(text.px / 15));
  cairo_set_line_width(cr, stroke);
  for (const MissingBox& box : text.boxes) {
    cairo_rectangle(cr, box.x0 + stroke / 2, -kBoxTop * text.px + stroke / 2,
                    box.x1 - box.x0 - stroke, (kBoxTop - kBoxBottom) * text.px - stroke);
    cairo_stroke(cr);
  }
  cairo_restore(cr);
  if (!op.text.color.empty()) color_glyphs(op);
}

// Emoji are pictures in their fonts and pictures here.
void PdfWriter::color_glyphs(const TextOp& op) {
  const TextBitmap& text = op.text;
  const CairoSurface surface = make_surface(CAIRO_FORMAT_ARGB32, text.width, text.height);
  for (int y = 0; y < text.height; ++y) {
    for (int x = 0; x < text.width; ++x) {
      const std::uint8_t* p = &text.color[4 * (static_cast<std::size_t>(y) * text.width + x)];
      put_pixel(surface.get(), x, y, argb(p[3], p[0], p[1], p[2]));
    }
  }
  cairo_surface_mark_dirty(surface.get());
  cairo_set_source_surface(context_.get(), surface.get(), op.x - text.pen_x, op.y - text.pen_y);
  cairo_paint(context_.get());
}

void PdfWriter::operator()(const CellsOp& op) {
  if (embeds_cells_) {
    cell_image(op);
    for (const Rect& line : cell_lines(op)) rectangle(line, op.line);
    return;
  }
  if (op.place.separator > 0) {
    rectangle(op.place.area(op.rows, op.cols), op.line);
  }
  for (const CellStrip& strip : cell_strips(op)) {
    const Rect& cell = strip.rect;
    rectangle(cell.x, cell.y, cell.width + (strip.meets_right ? kUnderlap : 0),
              cell.height + (strip.meets_below ? kUnderlap : 0), strip.color);
  }
}

void PdfWriter::cell_image(const CellsOp& op) {
  const auto cols = static_cast<int>(op.cols), rows = static_cast<int>(op.rows);
  const CairoSurface surface = make_surface(CAIRO_FORMAT_RGB24, cols, rows);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      const Rgb color = op.colors[static_cast<std::size_t>(r) * op.cols + c];
      put_pixel(surface.get(), c, r, argb(255, color.r, color.g, color.b));
    }
  }
  cairo_surface_mark_dirty(surface.get());
  cairo_t* cr = context_.get();
  cairo_save(cr);
  cairo_translate(cr, op.place.x, op.place.y);
  cairo_scale(cr, op.place.cell_width, op.place.cell_height);
  cairo_set_source_surface(cr, surface.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
  cairo_paint(cr);
  cairo_restore(cr);
}

void PdfWriter::operator()(const NumbersOp& op) {
  if (embeds_cells_) return;
  for (const NumbersOp::Number& number : op.numbers) {
    const SetText* first = op.glyphs->of(number.text[0]).set.get();
    if (first == nullptr || first->runs.empty()) continue;
    SetRun whole = first->runs.front();
    whole.text = number.text.data();
    whole.glyphs.clear();
    whole.clusters.clear();
    double x = number.x;
    for (char c : whole.text) {
      const TextBitmap& glyph = op.glyphs->of(c);
      if (!glyph.set || glyph.set->runs.empty()) continue;
      for (const SetRun::Glyph& part : glyph.set->runs.front().glyphs) {
        whole.glyphs.push_back({part.id, x + part.x, -static_cast<double>(number.y)});
      }
      whole.clusters.push_back({1, static_cast<int>(glyph.set->runs.front().glyphs.size())});
      x += glyph.advance;
    }
    set_color(number.color);
    run(whole, false);
  }
}

void PdfWriter::shape(const Marker& marker, PointF middle, double inset, Rgb color) {
  cairo_t* cr = context_.get();
  set_color(color);
  const std::vector<PointF> corners = marker_corners(marker.kind, inset);
  if (corners.empty()) {
    cairo_arc(cr, middle.x, middle.y, marker.radius * (1 - inset), 0, 2 * std::numbers::pi);
  }
  for (const PointF& corner : corners) {
    cairo_line_to(cr, middle.x + marker.radius * corner.x, middle.y + marker.radius * corner.y);
  }
  cairo_close_path(cr);
  cairo_fill(cr);
}

void PdfWriter::operator()(const MarkerOp& op) {
  const PointF middle{op.x + 0.5, op.y + 0.5};
  shape(op.marker, middle, 0, op.marker.edge_color);
  shape(op.marker, middle, op.marker.inset, op.marker.color);
}

void PdfWriter::operator()(const CurveOp& op) {
  cairo_t* cr = context_.get();
  const auto& p = op.points;
  set_color(op.color, op.opacity);
  cairo_set_line_width(cr, op.width);
  cairo_move_to(cr, p[0].x, p[0].y);
  cairo_curve_to(cr, p[1].x, p[1].y, p[2].x, p[2].y, p[3].x, p[3].y);
  cairo_stroke(cr);
}

}  // namespace

std::vector<std::uint8_t> encode_pdf(const Drawing& drawing) {
  return PdfWriter(drawing).write();
}

}  // namespace mha::render
