// Figures as SVG and PDF, lines and arcs, and printed sizes.
#include <cstdlib>

#include "program.hpp"

namespace mha {
namespace {

using test::example;
using test::kCreature;
using test::Program;
using Names = std::vector<std::string>;

bool has_tool(const std::string& name) {
  const std::string command = "command -v " + name + " >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;
}

// The text of a PDF in the program's folder.
std::string pdf_text(const Program& program, const std::string& name) {
  const std::string out = program.file("text");
  const std::string command = "pdftotext -layout '" + program.file(name) + "' '" + out + "'";
  REQUIRE(std::system(command.c_str()) == 0);
  return test::read_text(out);
}

bool is_svg(const std::string& bytes) {
  return bytes.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ") &&
         bytes.ends_with("</svg>\n");
}

bool is_pdf(const std::string& bytes) {
  return bytes.starts_with("%PDF-1.") && bytes.find("%%EOF") != std::string::npos;
}

TEST_CASE("the name of a figure says its format, and --figure-format wins over the name") {
  const Program program;
  const auto draw = [&](const std::string& name, Names more) {
    more.insert(more.begin(), {"draw", kCreature, "--heads", "L0H3", "-o", name});
    program.must_run(more);
    return program.read(name);
  };
  CHECK(is_svg(draw("a.svg", {})));
  CHECK(is_pdf(draw("a.pdf", {})));
  CHECK(draw("a.png", {}).starts_with("\x89PNG"));
  CHECK(is_svg(draw("a", {"--figure-format", "svg"})));
  CHECK(is_pdf(draw("b.png", {"--figure-format", "pdf"})));
  CHECK(program.run({"draw", kCreature, "-o", "x.svg", "--figure-format", "eps"}).code == 2);
}

TEST_CASE("every figure of draw is an SVG and a PDF, the same on every run") {
  const Program program;
  const std::vector<Names> figures = {{"--figure", "overview"},
                                      {"--figure", "similarity"},
                                      {"--figure", "map"},
                                      {"--figure", "relations"},
                                      {"--figure", "contribution"},
                                      {"--figure", "rollout"},
                                      {"--figure", "flow"},
                                      {"--heads", "L0H3"},
                                      {"--heads", "L0H3", "--query", "it"},
                                      {"--heads", "L0H3", "--view", "lines"},
                                      {"--heads", "L0H3", "--view", "arcs"}};
  for (const Names& figure : figures) {
    INFO(figure.back());
    for (const char* name : {"x.svg", "x.pdf"}) {
      Names command = {"draw", kCreature, "-o", name};
      command.insert(command.end(), figure.begin(), figure.end());
      program.must_run(command);
      const std::string first = program.read(name);
      CHECK((std::string(name) == "x.svg" ? is_svg(first) : is_pdf(first)));
      program.must_run(command);
      CHECK((program.read(name) == first));
    }
  }
}

TEST_CASE("texts of a PDF can be found, in any script, and its fonts are embedded") {
  if (!has_tool("pdftotext") || !has_tool("pdffonts")) {
    WARN("SKIPPED: pdftotext is not installed");
    return;
  }
  const Program program;
  program.must_run({"draw", kCreature, "--heads", "L0H3", "-o", "x.pdf"});
  const std::string text = pdf_text(program, "x.pdf");
  for (const char* word : {"L0H3", "mean entropy", "fluffy", "because", "query (attends from)",
                           "key (attends to)", "attention weight", ".99"}) {
    INFO(word);
    CHECK(text.find(word) != std::string::npos);
  }
  program.must_run(
      {"draw", example("scripts.json"), "--heads", "L0H0", "-o", "y.pdf", "--no-system-fonts"});
  CHECK(pdf_text(program, "y.pdf").find("L0H0") != std::string::npos);
  const std::string list = program.file("fonts");
  const std::string command = "pdffonts '" + program.file("x.pdf") + "' >'" + list + "'";
  REQUIRE(std::system(command.c_str()) == 0);
  const std::string fonts = test::read_text(list);
  CHECK(fonts.find("DejaVuSans") != std::string::npos);
  CHECK(fonts.find(" no ") == std::string::npos);  // embedded, a subset, with Unicode values
}

TEST_CASE("run, compare, steps and score draw in the format that is asked for") {
  const Program program;
  program.must_run({kCreature, "-o", "out", "--figure-format", "svg", "--analysis", "all"});
  for (const char* name : {"out/overview.svg", "out/heads/L00H03.svg", "out/similarity.svg",
                           "out/heads-map.svg", "out/contribution.svg", "out/rollout.svg"}) {
    INFO(name);
    REQUIRE(program.has(name));
    CHECK(is_svg(program.read(name)));
  }
  CHECK_FALSE(program.has("out/overview.png"));
  program.must_run({kCreature, "-o", "out", "--figure-format", "pdf"});
  CHECK(is_pdf(program.read("out/overview.pdf")));
  CHECK_FALSE(program.has("out/overview.svg"));  // of the run before
  program.must_run({"compare", kCreature, kCreature, "-o", "c", "--figure-format", "svg"});
  CHECK(is_svg(program.read("c/overview.svg")));
  program.must_run({"steps", kCreature, "--heads", "L0H3", "-o", "s.pdf"});
  CHECK(is_pdf(program.read("s.pdf")));
  program.must_run({"steps", kCreature, "--heads", "L0H3", "-o", "s", "--figure-format", "svg"});
  CHECK(is_svg(program.read("s/L00H03.svg")));
  program.must_run({"score", kCreature, "--figure", "r.svg"});
  CHECK(is_svg(program.read("r.svg")));
}

TEST_CASE("a printed width (--width) holds in every format") {
  const Program program;
  const Names common = {"draw", kCreature, "--heads", "L0H3", "--width", "85mm", "-o"};
  const auto draw = [&](const std::string& name, const Names& more = {}) {
    Names command = common;
    command.push_back(name);
    command.insert(command.end(), more.begin(), more.end());
    program.must_run(command);
    return program.read(name);
  };
  CHECK(draw("x.svg").find(" width=\"241") != std::string::npos);  // 85 mm are 240.9 points
  CHECK(draw("x.pdf").find("/MediaBox [ 0 0 241") != std::string::npos);
  const std::string png = draw("x.png");
  CHECK(static_cast<unsigned char>(png[18]) * 256 + static_cast<unsigned char>(png[19]) == 1004);
  const std::string fine = draw("y.png", {"--dpi", "600", "--font-size", "6pt"});
  CHECK(static_cast<unsigned char>(fine[18]) * 256 + static_cast<unsigned char>(fine[19]) == 2008);
  const std::string large = draw("z.svg", {"--font-size", "9pt"});
  CHECK(large.find("font-size=\"72\"") != std::string::npos);  // 9 points at 576 dots an inch
}

TEST_CASE("every figure of a run is as wide as asked") {
  const Program program;
  program.must_run({"run", "--text", "the creature ate the berry because it was hungry",
                    "--analysis", "all", "--width", "85mm", "--font-size", "8pt", "--figure-format",
                    "svg", "-o", "out"});
  std::size_t n_figures = 0;
  for (const std::string& name : program.files()) {
    if (!name.ends_with(".svg")) continue;
    CAPTURE(name);
    CHECK(program.read(name).find(" width=\"241pt\"") != std::string::npos);
    ++n_figures;
  }
  CHECK(n_figures >= 24 + 6);
  // The map uses the width: most of its 24 names have a place.
  const std::string map = program.read("out/heads-map.svg");
  std::size_t n_names = 0;
  for (std::size_t at = map.find(">L"); at != std::string::npos; at = map.find(">L", at + 1)) {
    ++n_names;
  }
  CHECK(n_names >= 22);
}

TEST_CASE("a length that is too small or too large says the range in its own unit") {
  const Program program;
  const auto error = [&](Names more) {
    more.insert(more.begin(), {"steps", kCreature, "--heads", "L0H3"});
    const auto result = program.run(more);
    CHECK(result.code == 2);
    return result.err;
  };
  CHECK(error({"--width", "5mm", "-o", "x.png"})
            .find("--width: 5mm is too small; expected a length from 17.7mm to 1058.3mm") !=
        std::string::npos);
  CHECK(error({"--width", "85mm", "--font-size", "100pt", "-o", "x.png"})
            .find("--font-size: 100pt is too large; expected a length from 3pt to 72pt") !=
        std::string::npos);
  CHECK(program.files().empty());
}

TEST_CASE("an empty value is a usage error that names its flag") {
  const Program program;
  for (const std::string flag : {"--pair", "--width", "--font-size", "--heads"}) {
    CAPTURE(flag);
    const auto result = program.run({"steps", kCreature, flag, ""});
    CHECK(result.code == 2);
    CHECK(result.err.find(flag + ": expected a value, got ''") != std::string::npos);
  }
  CHECK(program.run({"draw", kCreature, "--heads", "L0H3", "--title", "", "-o", "x.png"}).code ==
        0);
}

TEST_CASE("lengths that are none, or of no use, are refused") {
  const Program program;
  for (const char* width : {"85", "mm", "85 mm", "-3cm", "0mm", "1e9mm", "nanmm", "85km", "5mm"}) {
    INFO(width);
    const auto result =
        program.run({"draw", kCreature, "--heads", "L0H3", "--width", width, "-o", "x.svg"});
    CHECK(result.code == 2);
    CHECK(result.err.find("--width: ") != std::string::npos);
    CHECK(result.err.find("expected a length") != std::string::npos);
  }
  for (const char* size : {"8", "1pt", "100pt", "big"}) {
    CHECK(program.run({"draw", kCreature, "--heads", "L0H3", "--font-size", size, "-o", "x.svg"})
              .code == 2);
  }
  for (const char* dpi : {"0", "-1", "1201", "x", "1.5"}) {
    CHECK(program.run({"draw", kCreature, "--heads", "L0H3", "--dpi", dpi, "-o", "x.svg"}).code ==
          2);
  }
  const auto narrow = program.run({"draw", kCreature, "--heads", "L0H3", "--width", "20mm",
                                   "--font-size", "20pt", "-o", "x.svg"});
  CHECK(narrow.code == 2);
  CHECK(narrow.err.find("does not fit") != std::string::npos);
  CHECK(program.files().empty());
}

TEST_CASE("lines and arcs say what they leave out, and refuse what they cannot show") {
  const Program program;
  program.must_run({"draw", kCreature, "--heads", "L0H3", "--view", "lines", "--min-weight", "0.5",
                    "-o", "x.svg"});
  const std::string svg = program.read("x.svg");
  CHECK(svg.find("weights from 0.5 on, at most 5 a query; the strongest is 0.99") !=
        std::string::npos);
  std::size_t n_lines = 0;
  for (std::size_t at = svg.find("<path"); at != std::string::npos;
       at = svg.find("<path", at + 1)) {
    ++n_lines;
  }
  CHECK(n_lines == 1);
  program.must_run({"draw", kCreature, "--heads", "L0H3", "--view", "arcs", "--min-weight", "1",
                    "-o", "none.svg"});
  CHECK(program.read("none.svg").find("there is no line") != std::string::npos);
  CHECK(
      program.run({"draw", kCreature, "--view", "lines", "--figure", "map", "-o", "y.svg"}).code ==
      2);
  CHECK(program
            .run({"draw", example("cross-attention.json"), "--heads", "L0H0", "--view", "arcs",
                  "-o", "y.svg"})
            .code == 3);
  program.must_run({"draw", example("cross-attention.json"), "--heads", "L0H0", "--view", "lines",
                    "-o", "z.svg"});
}

TEST_CASE("markup in a token is text in an SVG") {
  const Program program;
  const std::string input = program.write("in.json",
                                          R"({"tokens": ["</text>", "&", "\u202eabc", "a\u0000b"],
          "attention_weights": [[[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]]]})");
  program.must_run({"draw", input, "--heads", "L0H0", "-o", "x.svg"});
  const std::string svg = program.read("x.svg");
  CHECK(svg.find("&lt;/text&gt;") != std::string::npos);
  CHECK(svg.find("\u202e") == std::string::npos);
  CHECK(svg.find('\0') == std::string::npos);
}

}  // namespace
}  // namespace mha
