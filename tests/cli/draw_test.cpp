// draw: one figure to a file or to stdout.
#include "program.hpp"

namespace mha {
namespace {

using test::example;
using test::kCreature;
using test::Program;
using Names = std::vector<std::string>;

// Width and height of a PNG, from its header.
std::pair<unsigned, unsigned> png_size(const std::string& png) {
  REQUIRE(png.starts_with("\x89PNG\r\n\x1A\n"));
  REQUIRE(png.size() > 24);
  const auto number = [&png](std::size_t at) {
    unsigned value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8 | static_cast<unsigned char>(png[at + i]);
    return value;
  };
  return {number(16), number(20)};
}

TEST_CASE("draw writes one figure to a file, the same as run draws") {
  const Program program;
  program.must_run({"draw", kCreature, "--heads", "L0H3", "-o", "head.png"});
  CHECK(program.files() == Names{"head.png"});
  CHECK(png_size(program.read("head.png")).first > 100);
  program.must_run({kCreature, "-o", "out", "--range", "head"});
  program.must_run({"draw", kCreature, "--heads", "L0H3", "-o", "own.png", "--range", "head"});
  CHECK((program.read("own.png") == program.read("out/heads/L00H03.png")));
}

TEST_CASE("draw to stdout gives the same bytes as to a file") {
  const Program program;
  program.must_run({"draw", kCreature, "--heads", "L0H1", "-o", "x.png"});
  const test::ProcessResult result = program.run({"draw", kCreature, "--heads", "L0H1", "-o", "-"});
  CHECK(result.code == 0);
  CHECK(result.err.empty());
  CHECK((result.out == program.read("x.png")));
}

TEST_CASE("the overview, a mean and a query are figures of their own") {
  const Program program;
  program.must_run({"draw", kCreature, "--figure", "overview", "-o", "overview.png"});
  program.must_run({"draw", kCreature, "--heads", "L0mean", "-o", "mean.png"});
  program.must_run({"draw", kCreature, "--heads", "L0H3", "--query", "it", "-o", "it.png"});
  program.must_run({"draw", kCreature, "--heads", "L0H3", "--query", "9", "-o", "nine.png"});
  program.must_run({"draw", kCreature, "--heads", "L0H3", "--query", "8", "-o", "eight.png"});
  for (const char* name : {"overview.png", "mean.png", "it.png"}) png_size(program.read(name));
  CHECK((program.read("it.png") == program.read("nine.png")));
  CHECK((program.read("it.png") != program.read("eight.png")));
}

TEST_CASE("picture options change the picture, bad input leaves none") {
  const Program program;
  program.must_run({"draw", kCreature, "--heads", "L0H3", "-o", "plain.png"});
  const std::string plain = program.read("plain.png");
  for (const Names& options :
       {Names{"--theme", "dark"}, Names{"--colormap", "magma"}, Names{"--color-scale", "sqrt"},
        Names{"--title", "A title"}, Names{"--cell", "50"}, Names{"--labels", "none"},
        Names{"--dpi", "300"}, Names{"--range", "0..0.5"}, Names{"--drop-first"}}) {
    Names arguments = {"draw", kCreature, "--heads", "L0H3", "-o", "other.png"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    program.must_run(arguments);
    INFO(options[0]);
    CHECK((program.read("other.png") != plain));
  }
  CHECK(program.run({"draw", "none.json", "--heads", "L0H3", "-o", "bad.png"}).code == 3);
  CHECK_FALSE(program.has("bad.png"));
}

TEST_CASE("a target that cannot be written is found before the work") {
  const Program program;
  const test::ProcessResult result =
      program.run({"draw", kCreature, "--heads", "L0H3", "-o", "no/such/x.png"});
  CHECK(result.code == 4);
  CHECK(result.err ==
        "mha-viz: error: no/such/x.png: cannot be written: No such file or directory\n");
  CHECK(program.run({"draw", kCreature, "--heads", "L0H3", "-o", program.path()}).code == 4);
}

TEST_CASE("a wide input is drawn within the size that was asked for") {
  const Program program;
  std::string text;
  for (int i = 0; i < 500; ++i) text += "w ";
  program.write("in.json", R"({"positions": "sinusoidal", "text": ")" + text + "\"}");
  program.must_run({"draw", "in.json", "--heads", "L0H0", "--max-size", "200", "-o", "x.png"});
  const auto [width, height] = png_size(program.read("x.png"));
  CHECK(width < 700);  // the cells and what is around them
  CHECK(height < 700);
}

TEST_CASE("a font that is none is refused by name") {
  const Program program;
  program.write("font.ttf", "no font");
  const test::ProcessResult result =
      program.run({"draw", kCreature, "--heads", "L0H3", "-o", "x.png", "--font", "font.ttf"});
  CHECK(result.code == 3);
  CHECK(result.err.starts_with("mha-viz: error: font.ttf: "));
  CHECK_FALSE(program.has("x.png"));
}

}  // namespace
}  // namespace mha
