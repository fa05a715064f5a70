#include "svg.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "mha/base/base64.hpp"
#include "mha/base/text.hpp"
#include "mha/render/figure_file.hpp"
#include "mha/render/png.hpp"

#include "cell_shapes.hpp"
#include "markers.hpp"
#include "svg_text.hpp"

namespace mha::render {
namespace {

std::string rect_attributes(double x, double y, double width, double height) {
  return concat(" x=\"", svg_number(x), "\" y=\"", svg_number(y), "\" width=\"", svg_number(width),
                "\" height=\"", svg_number(height), "\"");
}

std::string rect_element(const Rect& rect, Rgb color) {
  return concat("<rect", rect_attributes(rect.x, rect.y, rect.width, rect.height), " fill=\"",
                hex_text(color), "\"/>\n");
}

// The strokes of a hatch repeat in squares of its spacing; all hatches of one kind share a pattern,
// so that they continue from one rectangle to the next.
std::string hatch_name(const HatchOp& op) {
  return concat("hatch-", op.spacing, "-", op.stroke, "-", hex_text(op.color).substr(1));
}

std::string hatch_pattern(const HatchOp& op) {
  const int s = op.spacing, t = op.stroke;
  return concat("<pattern id=\"", hatch_name(op), "\" width=\"", s, "\" height=\"", s,
                "\" patternUnits=\"userSpaceOnUse\"><path fill=\"", hex_text(op.color),
                "\" d=\"M0 0H", t, "L0 ", t, "ZM", s, " 0V", t, "L", t, " ", s,
                "H0Z\"/></pattern>\n");
}

class SvgWriter {
 public:
  explicit SvgWriter(const Drawing& drawing)
      : drawing_(drawing), embeds_cells_(has_too_many_cells(drawing)) {}

  std::string write();

  void operator()(const FillOp& op) { out_ += rect_element(op.rect, op.color); }
  void operator()(const FrameOp& op);
  void operator()(const HatchOp& op);
  void operator()(const TextOp& op) { out_ += svg_text(op); }
  void operator()(const CellsOp& op);
  void operator()(const NumbersOp& op);
  void operator()(const MarkerOp& op);
  void operator()(const CurveOp& op);

 private:
  void open();
  void cell_image(const CellsOp& op);
  void shape(std::size_t kind, PointF middle, double radius, double inset, Rgb color);

  const Drawing& drawing_;
  bool embeds_cells_;
  std::string out_;
};

void SvgWriter::open() {
  const double points = points_per_pixel(drawing_);
  out_ = concat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\""
      " xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\" width=\"",
      svg_number(drawing_.width * points), "pt\" height=\"", svg_number(drawing_.height * points),
      "pt\" viewBox=\"0 0 ", drawing_.width, " ", drawing_.height,
      "\" font-family=\"'DejaVu Sans', Verdana, 'Noto Sans', sans-serif\""
      " xml:space=\"preserve\">\n");
  if (!drawing_.title.empty()) out_ += "<title>" + xml_escaped(drawing_.title) + "</title>\n";
  std::set<std::string> patterns;
  for (const DrawingOp& op : drawing_.ops) {
    if (const auto* hatch = std::get_if<HatchOp>(&op)) patterns.insert(hatch_pattern(*hatch));
  }
  if (!patterns.empty()) {
    out_ += "<defs>\n";
    for (const std::string& pattern : patterns) out_ += pattern;
    out_ += "</defs>\n";
  }
  out_ += rect_element({0, 0, drawing_.width, drawing_.height}, drawing_.background);
}

std::string SvgWriter::write() {
  open();
  for (const DrawingOp& op : drawing_.ops)
    std::visit([this](const auto& each) { (*this)(each); }, op);
  return std::move(out_) + "</svg>\n";
}

void SvgWriter::operator()(const FrameOp& op) {
  const double half = op.stroke / 2.0;
  out_ += concat("<rect",
                 rect_attributes(op.rect.x - half, op.rect.y - half, op.rect.width + op.stroke,
                                 op.rect.height + op.stroke),
                 " fill=\"none\" stroke=\"", hex_text(op.color), "\" stroke-width=\"", op.stroke,
                 "\"/>\n");
}

void SvgWriter::operator()(const HatchOp& op) {
  const Rect& r = op.rect;
  out_ += concat("<rect", rect_attributes(r.x, r.y, r.width, r.height), " fill=\"url(#",
                 hatch_name(op), ")\"/>\n");
}

// Cells that touch are drawn without soft edges, which would let the paper shine through.
void SvgWriter::operator()(const CellsOp& op) {
  if (embeds_cells_) {
    cell_image(op);
    for (const Rect& line : cell_lines(op)) out_ += rect_element(line, op.line);
    return;
  }
  const bool touch = op.place.separator == 0;
  out_ += touch ? "<g shape-rendering=\"crispEdges\">\n" : "<g>\n";
  if (!touch) out_ += rect_element(op.place.area(op.rows, op.cols), op.line);
  for (const CellStrip& strip : cell_strips(op)) out_ += rect_element(strip.rect, strip.color);
  out_ += "</g>\n";
}

void SvgWriter::cell_image(const CellsOp& op) {
  const auto width = static_cast<int>(op.cols) * op.place.cell_width;
  const auto height = static_cast<int>(op.rows) * op.place.cell_height;
  const std::string data = "data:image/png;base64," + base64(encode_png(cells_image(op)));
  out_ += concat("<image", rect_attributes(op.place.x, op.place.y, width, height),
                 " preserveAspectRatio=\"none\" style=\"image-rendering:optimizeSpeed;"
                 "image-rendering:crisp-edges;image-rendering:pixelated\" xlink:href=\"",
                 data, "\"/>\n");
}

void SvgWriter::operator()(const NumbersOp& op) {
  if (embeds_cells_) return;
  for (const NumbersOp::Number& number : op.numbers) out_ += svg_cell_number(number, *op.glyphs);
}

void SvgWriter::shape(std::size_t kind, PointF middle, double radius, double inset, Rgb color) {
  const std::vector<PointF> corners = marker_corners(kind, inset);
  if (corners.empty()) {
    out_ +=
        concat("<circle cx=\"", svg_number(middle.x), "\" cy=\"", svg_number(middle.y), "\" r=\"",
               svg_number(radius * (1 - inset)), "\" fill=\"", hex_text(color), "\"/>\n");
    return;
  }
  out_ += "<polygon points=\"";
  for (const PointF& corner : corners) {
    out_ += concat(svg_number(middle.x + radius * corner.x), ",",
                   svg_number(middle.y + radius * corner.y), " ");
  }
  out_.back() = '"';
  out_ += concat(" fill=\"", hex_text(color), "\"/>\n");
}

void SvgWriter::operator()(const MarkerOp& op) {
  const Marker& m = op.marker;
  const PointF middle{op.x + 0.5, op.y + 0.5};
  shape(m.kind, middle, m.radius, 0, m.edge_color);
  shape(m.kind, middle, m.radius, m.inset, m.color);
}

void SvgWriter::operator()(const CurveOp& op) {
  const auto point = [](const PointF& p) { return svg_number(p.x) + " " + svg_number(p.y); };
  out_ += concat("<path d=\"M", point(op.points[0]), "C", point(op.points[1]), " ",
                 point(op.points[2]), " ", point(op.points[3]), "\" fill=\"none\" stroke=\"",
                 hex_text(op.color), "\" stroke-width=\"", svg_number(op.width), "\"");
  if (op.opacity < 1) out_ += concat(" stroke-opacity=\"", svg_number(op.opacity), "\"");
  out_ += "/>\n";
}

}  // namespace

std::vector<std::uint8_t> encode_svg(const Drawing& drawing) {
  const std::string text = SvgWriter(drawing).write();
  return {text.begin(), text.end()};
}

}  // namespace mha::render
