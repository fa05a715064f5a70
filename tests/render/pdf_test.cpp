// PDF files: one page, embedded fonts, no date of today, the same bytes.
#include <string>

#include "mha/render/figure_file.hpp"
#include "mha/render/heatmap.hpp"

#include "figures.hpp"
#include "support/catch.hpp"

namespace mha::render {
namespace {

std::string pdf_of(std::size_t n, const std::vector<std::string>& labels = {}) {
  HeatmapFigure figure;
  figure.text.title = "L0H3";
  figure.cells = make_grid(n, n, 0.5F);
  figure.frame = make_frame(n, n);
  if (!labels.empty()) figure.frame.rows.labels = labels;
  Typesetter type;
  const auto bytes = encode_figure(draw_heatmap(figure, {}, type), FigureFormat::kPdf);
  return {bytes.begin(), bytes.end()};
}

TEST_CASE("a PDF is the same on every run and has a fixed date") {
  const std::string pdf = pdf_of(12);
  CHECK(pdf.starts_with("%PDF-1."));
  CHECK((pdf == pdf_of(12)));
  CHECK(pdf.find("20000101000000Z") != std::string::npos);
}

TEST_CASE("large matrices are one picture in a PDF too") {
  CHECK(pdf_of(201).find("/Subtype /Image") != std::string::npos);
  CHECK(pdf_of(20).find("/Subtype /Image") == std::string::npos);
  CHECK(pdf_of(201).size() < (std::size_t{1} << 20));
}

TEST_CASE("no label breaks a PDF") {
  const std::string pdf =
      pdf_of(6, {"(\\)", std::string("x\0y", 3), "\u202Eabc", "אב 12", "\uFFFE",
                 "a very long label that loses its middle, for it is too long"});
  CHECK(pdf.find("%%EOF") != std::string::npos);
}

}  // namespace
}  // namespace mha::render
