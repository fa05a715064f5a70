#include "mha/render/figure_file.hpp"

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/render/png.hpp"

#include "pdf.hpp"
#include "svg.hpp"

namespace mha::render {

const std::vector<std::string>& figure_format_names() {
  static const std::vector<std::string> names = {"png", "svg", "pdf"};
  return names;
}

std::string_view figure_format_name(FigureFormat format) {
  return figure_format_names()[static_cast<std::size_t>(format)];
}

FigureFormat figure_format_named(std::string_view name) {
  const std::vector<std::string>& names = figure_format_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<FigureFormat>(i);
  }
  fail_usage(concat("unknown figure format '", name, "'; expected ", join(names, ", ")),
             spelling_hint(name, names));
}

std::vector<std::uint8_t> encode_figure(const Drawing& drawing, FigureFormat format) {
  switch (format) {
    case FigureFormat::kSvg:
      return encode_svg(drawing);
    case FigureFormat::kPdf:
      return encode_pdf(drawing);
    case FigureFormat::kPng:
      break;
  }
  return encode_png(drawing);
}

double points_per_pixel(const Drawing& drawing) {
  constexpr double kUsualDpi = 144;
  return 72 / (drawing.dpi > 0 ? drawing.dpi : kUsualDpi);
}

bool has_too_many_cells(const Drawing& drawing) {
  std::size_t n = 0;
  for (const DrawingOp& op : drawing.ops) {
    if (const auto* cells = std::get_if<CellsOp>(&op)) n += cells->colors.size();
  }
  return n > kMostVectorCells;
}

Image cells_image(const CellsOp& cells) {
  Image image;
  image.width = static_cast<int>(cells.cols);
  image.height = static_cast<int>(cells.rows);
  image.rgb.reserve(3 * cells.colors.size());
  for (const Rgb& color : cells.colors) {
    image.rgb.insert(image.rgb.end(), {color.r, color.g, color.b});
  }
  return image;
}

}  // namespace mha::render
