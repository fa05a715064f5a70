// SVG files: well-formed, with real text that keeps to the layout, small.
#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/render/figure_file.hpp"
#include "mha/render/grid.hpp"
#include "mha/render/heatmap.hpp"
#include "mha/render/scatter.hpp"

#include "figures.hpp"
#include "render/svg_text.hpp"
#include "support/catch.hpp"
#include "xml.hpp"

namespace mha::render {
namespace {

HeatmapFigure make_figure(std::size_t n) {
  HeatmapFigure figure;
  figure.text = {"L0H3  previous token", "a caption", {"a note"}};
  figure.cells = make_grid(n, n, 0);
  for (std::size_t i = 0; i < n * n; ++i) figure.cells.values[i] = static_cast<float>(i % 97) / 97;
  figure.frame = make_frame(n, n);
  return figure;
}

std::string svg_of(const Drawing& drawing) {
  const std::vector<std::uint8_t> bytes = encode_figure(drawing, FigureFormat::kSvg);
  return {bytes.begin(), bytes.end()};
}

std::string svg_of(const HeatmapFigure& figure, const PictureStyle& style = {}) {
  Typesetter type;
  return svg_of(draw_heatmap(figure, style, type));
}

std::vector<std::string> texts_of(const std::string& svg) {
  std::vector<std::string> out;
  for (const XmlElement& element : XmlReader::read(svg)) {
    if (element.name == "text") out.push_back(element.text);
  }
  return out;
}

bool has(const std::vector<std::string>& texts, const std::string& wanted) {
  return std::find(texts.begin(), texts.end(), wanted) != texts.end();
}

std::size_t count(const std::string& svg, const std::string& name) {
  const std::vector<XmlElement> all = XmlReader::read(svg);
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const auto& e) { return e.name == name; }));
}

TEST_CASE("an SVG holds title, caption, notes, axis titles and every label as text") {
  const std::vector<std::string> texts = texts_of(svg_of(make_figure(6)));
  for (const char* text : {"L0H3  previous token", "a caption", "a note", "query (attends from)",
                           "key (attends to)", "attention weight"}) {
    INFO(text);
    CHECK((has(texts, text) || has(texts, "L0H3 previous token")));
  }
  for (const std::string& label : make_labels(6)) {
    CHECK(std::count(texts.begin(), texts.end(), label) == 2);  // a row and a column
  }
}

TEST_CASE("numbers in cells are one text each") {
  HeatmapFigure figure = make_figure(3);
  figure.cells.values = {0.5F, 0.25F, 0.75F, 0.5F, 0.25F, 0.75F, 0.5F, 0.25F, 0.75F};
  const std::vector<std::string> texts = texts_of(svg_of(figure));
  CHECK(std::count(texts.begin(), texts.end(), ".25") == 3);
  CHECK(std::count(texts.begin(), texts.end(), ".75") == 3);
}

TEST_CASE("the page is as large as the picture at 144 dots an inch, or at its own") {
  const HeatmapFigure figure = make_figure(4);
  Typesetter type;
  const Drawing drawing = draw_heatmap(figure, {}, type);
  const XmlElement root = XmlReader::read(svg_of(drawing)).front();
  CHECK(root.attributes.at("width") == svg_number(drawing.width / 2.0) + "pt");
  CHECK(root.attributes.at("height") == svg_number(drawing.height / 2.0) + "pt");
  PictureStyle fine;
  fine.dpi = 288;
  const Drawing larger = draw_heatmap(figure, fine, type);
  const XmlElement other = XmlReader::read(svg_of(larger)).front();
  CHECK(other.attributes.at("width") == svg_number(larger.width / 4.0) + "pt");
}

TEST_CASE("every text has the length that it was laid out with") {
  Typesetter type;
  for (const XmlElement& element : XmlReader::read(svg_of(make_figure(5)))) {
    if (element.name != "text" || element.text != "token3") continue;
    const double px = std::stod(element.attributes.at("font-size"));
    const double length = std::stod(element.attributes.at("textLength"));
    CHECK(length == Approx(type.width("token3", {.px = px})).margin(0.01));
  }
}

TEST_CASE("what a token may hold is data in an SVG: markup, quotes, controls, directions") {
  HeatmapFigure figure = make_figure(7);
  figure.frame.rows.labels = {"</text><script>",      "a & b",    "\"'",
                              std::string("x\0y", 3), "\x1b[31m", "\u2028",
                              "\u202Eabc\u2069"};
  figure.frame.cols.labels = {"]]>", "<!--", "\xFF\xC0", "\uFFFE", "\x7F", "\t", "&amp;"};
  const std::string svg = svg_of(figure);
  const std::vector<std::string> texts = texts_of(svg);
  CHECK(has(texts, "</text><script>"));
  CHECK(has(texts, "a & b"));
  CHECK(has(texts, "\"'"));
  CHECK(has(texts, "x y"));
  CHECK(has(texts, " [31m"));
  CHECK(has(texts, "abc"));
  CHECK(has(texts, "<!--"));
  CHECK(has(texts, "&amp;"));
  CHECK(has(texts, "\uFFFD\uFFFD"));
  CHECK(svg.find('\x1b') == std::string::npos);
  CHECK(svg.find("\u202E") == std::string::npos);
  CHECK(svg.find("\uFFFE") == std::string::npos);
}

TEST_CASE("characters that XML forbids become U+FFFD, all others stay") {
  CHECK(xml_escaped("<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  CHECK(xml_escaped(std::string("a\0b\x01", 4)) == "a\uFFFDb\uFFFD");
  CHECK(xml_escaped("\uFFFE\uFFFF") == "\uFFFD\uFFFD");
  CHECK(xml_escaped("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");  // a surrogate
  CHECK(xml_escaped("é 猫 🐈\tx") == "é 猫 🐈\tx");
}

TEST_CASE("a text from right to left is anchored at its left end") {
  HeatmapFigure figure = make_figure(1);
  figure.frame.rows.labels = {"אבג"};
  for (const XmlElement& element : XmlReader::read(svg_of(figure))) {
    if (element.text != "אבג") continue;
    CHECK(element.attributes.at("direction") == "rtl");
    CHECK(element.attributes.at("text-anchor") == "end");
  }
}

TEST_CASE("a character that no font has is its code in a frame, as in pixels") {
  HeatmapFigure figure = make_figure(1);
  figure.frame.rows.labels = {"\U00010330"};  // Gothic
  const std::vector<std::string> texts = texts_of(svg_of(figure));
  CHECK(has(texts, "U+10330"));
}

TEST_CASE(
    "up to 40,000 cells are rectangles, more are one embedded picture, and files stay small") {
  const std::string most = svg_of(make_figure(200));
  CHECK(count(most, "image") == 0);
  CHECK(count(most, "rect") > 30000);
  CHECK(most.size() < (std::size_t{4} << 20));
  const std::string more = svg_of(make_figure(201));
  CHECK(count(more, "image") == 1);
  CHECK(count(more, "rect") < 1000);
  CHECK(more.size() < (std::size_t{1} << 20));
  CHECK(more.find("image-rendering:pixelated") != std::string::npos);
  PictureStyle wide;
  wide.cell_px = 30;
  wide.max_size = 30000;
  CHECK(svg_of(make_figure(201), wide).size() < (std::size_t{1} << 20));
}

TEST_CASE("all panels of an overview count together") {
  GridFigure figure;
  figure.row_names = {"L0", "L1"};
  figure.col_names = {"H0", "H1"};
  for (int i = 0; i < 4; ++i) {
    figure.panels.emplace_back(
        GridPanel{std::make_shared<CellGrid>(make_grid(120, 120, 0.5F)), "", -1});
  }
  figure.frame = make_frame(120, 120);
  Typesetter type;
  CHECK(count(svg_of(draw_grid(figure, {}, type)), "image") == 4);
}

TEST_CASE("equal neighbours without a line between them are one rectangle") {
  HeatmapFigure figure = make_figure(100);
  figure.cells = make_grid(100, 100, 0.5F);
  CHECK(count(svg_of(figure), "rect") < 600);
}

TEST_CASE("fully masked rows have a hatch") {
  HeatmapFigure figure = make_figure(4);
  for (std::size_t c = 0; c < 4; ++c) figure.cells.states[4 + c] = CellState::kFullyMasked;
  const std::string svg = svg_of(figure);
  CHECK(count(svg, "pattern") >= 1);
  CHECK(svg.find("fill=\"url(#hatch-") != std::string::npos);
}

TEST_CASE("the same drawing gives the same SVG") {
  CHECK((svg_of(make_figure(12)) == svg_of(make_figure(12))));
}

TEST_CASE("every shape of a point has its place in an SVG") {
  ScatterFigure figure;
  figure.text.title = "Map";
  for (int i = 0; i < 8; ++i) {
    figure.points.push_back({static_cast<double>(i), static_cast<double>(i * i), "p", i});
    figure.kinds.push_back("kind " + std::to_string(i));
  }
  Typesetter type;
  const std::string svg = svg_of(draw_scatter(figure, {}, type));
  CHECK(count(svg, "circle") == 4);    // edge and inside, in the plot and in the legend
  CHECK(count(svg, "polygon") == 28);  // of seven kinds
}

TEST_CASE("formats have names") {
  CHECK(figure_format_named("svg") == FigureFormat::kSvg);
  CHECK(figure_format_name(FigureFormat::kPdf) == "pdf");
  CHECK_THROWS_AS(figure_format_named("svgz"), Error);
}

}  // namespace
}  // namespace mha::render
