// report --grid: attention on the patches of a picture, as the page's script finds it.
#include "mha/io/picture.hpp"
#include "mha/render/png.hpp"

#include "patches.hpp"

namespace mha {
namespace {

using test::contains;
using test::Program;
using test::seven_tokens;

// A PNG of one colour.
std::string png_of(int width, int height) {
  render::Image image;
  image.width = width;
  image.height = height;
  image.rgb.assign(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 200);
  const std::vector<std::uint8_t> bytes = render::encode_png(image);
  return {bytes.begin(), bytes.end()};
}

nlohmann::json page_facts(const std::string& html) {
  const std::string start = "id=\"mha-report\">";
  const std::size_t begin = html.find(start) + start.size();
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

std::string decoded_base64(const std::string& text) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int n_bits = 0;
  for (const char c : text) {
    const std::size_t value = alphabet.find(c);
    if (value == std::string::npos) break;
    bits = (bits << 6 | static_cast<unsigned>(value)) & 0xFFFF;
    n_bits += 6;
    if (n_bits < 8) continue;
    n_bits -= 8;
    out.push_back(static_cast<char>(bits >> n_bits & 0xFF));
  }
  return out;
}

std::string report_error(const Program& program, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"report", "in.json", "-o", "x.html"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const test::ProcessResult result = program.run(arguments);
  CHECK_FALSE(program.has("x.html"));
  return std::to_string(result.code) + " " + result.err;
}

TEST_CASE("a page holds the grid and its picture, and one without a grid neither") {
  const Program program;
  program.write("in.json", seven_tokens());
  program.write("small.png", png_of(6, 4));
  program.must_run({"report", "in.json", "--grid", "2x3", "--prefix", "1", "--image", "small.png",
                    "-o", "with.html"});
  program.must_run({"report", "in.json", "--grid", "2x3", "--prefix", "1", "-o", "bare.html"});
  program.must_run({"report", "in.json", "-o", "without.html"});
  const nlohmann::json grid = page_facts(program.read("with.html")).at("grid");
  CHECK(grid.at("rows") == 2);
  CHECK(grid.at("cols") == 3);
  CHECK(grid.at("prefix") == 1);
  CHECK(grid.at("picture").at("width") == 6);
  CHECK(grid.at("picture").at("height") == 4);
  const std::string url = grid.at("picture").at("url");
  const std::string start = "data:image/png;base64,";
  REQUIRE(url.starts_with(start));
  const Picture picture = decode_picture(decoded_base64(url.substr(start.size())));
  CHECK(picture.width == 6);
  CHECK(picture.height == 4);
  CHECK(picture.rgb == std::vector<std::uint8_t>(72, 200));
  CHECK(page_facts(program.read("bare.html")).at("grid").at("picture").is_null());
  CHECK_FALSE(page_facts(program.read("without.html")).contains("grid"));
}

TEST_CASE("readers without scripts see one query on the patches") {
  const Program program;
  program.write("in.json", seven_tokens());
  program.must_run({"report", "in.json", "--grid", "2x3", "--prefix", "1", "-o", "with.html"});
  program.must_run({"report", "in.json", "-o", "without.html"});
  CHECK(count_of(program.read("with.html"), "<img ") ==
        count_of(program.read("without.html"), "<img ") + 1);
  CHECK(contains(program.read("with.html"), "2 × 3 patches of the picture"));
}

TEST_CASE("a large picture is made as small as the page shows it") {
  const Program program;
  program.write("in.json", seven_tokens());
  program.write("large.png", png_of(2048, 1000));
  program.must_run({"report", "in.json", "--grid", "2x3", "--prefix", "1", "--image", "large.png",
                    "-o", "a.html"});
  program.must_run({"report", "in.json", "--grid", "2x3", "--prefix", "1", "--image", "large.png",
                    "--threads", "1", "-o", "b.html"});
  const nlohmann::json picture = page_facts(program.read("a.html")).at("grid").at("picture");
  CHECK(picture.at("width") == 512);
  CHECK(picture.at("height") == 250);
  CHECK((program.read("a.html") == program.read("b.html")));
}

TEST_CASE("report refuses a grid that does not fit, with both numbers and the likely one") {
  const Program program;
  program.write("in.json", seven_tokens());
  const std::string wrong = report_error(program, {"--grid", "2x2"});
  CHECK(contains(
      wrong, "2 mha-viz: error: --grid 2x2 with --prefix 0 makes 0 + 4 keys, and the input has 7"));
  CHECK(contains(wrong, "hint: try --grid 2x2 --prefix 3"));
  CHECK(contains(report_error(program, {"--grid", "2x3", "--prefix", "99"}), "makes 99 + 6 keys"));
  CHECK(contains(report_error(program, {"--grid", "6"}), "--grid: expected ROWSxCOLS"));
  CHECK(contains(report_error(program, {"--prefix", "1"}), "--prefix requires --grid"));
  CHECK(contains(report_error(program, {"--image", "in.json"}), "--image requires --grid"));
}

TEST_CASE("report names the one of several inputs that the grid does not fit") {
  const Program program;
  program.write("in.json", seven_tokens());
  program.write("short.json", R"({"tokens": ["a", "b"], "attention": {"n_heads": 1}})");
  const std::string line = R"({"tokens": ["a", "b", "c"], "attention": {"n_heads": 1}})";
  program.write("lines.ndjson", line + "\n" + line + "\n");
  const std::string numbers = "--grid 2x3 with --prefix 1 makes 1 + 6 keys, and the input has ";
  const std::string later =
      report_error(program, {"short.json", "--grid", "2x3", "--prefix", "1", "-q"});
  CHECK(contains(later, "2 mha-viz: error: short.json: " + numbers + "2"));
  const std::string record =
      report_error(program, {"lines.ndjson", "--grid", "2x3", "--prefix", "1", "-q"});
  CHECK(contains(record, "2 mha-viz: error: lines.ndjson:1: " + numbers + "3"));
  const std::string fits = report_error(program, {"short.json", "--grid", "1x2", "-q"});
  CHECK(contains(fits, "2 mha-viz: error: in.json: --grid 1x2 with --prefix 0 makes 0 + 2 keys"));
  CHECK(contains(fits, "hint: try --grid 2x2 --prefix 3"));
}

TEST_CASE("report finds a broken picture before it opens the input") {
  const Program program;
  program.write("in.json", "no document at all");
  program.write("bad.png", "\x89PNG\r\n\x1a\n and then nothing");
  const std::vector<std::string> grid{"--grid", "2x3", "--prefix", "1", "--image"};
  const auto with = [&grid](const std::string& image) {
    std::vector<std::string> arguments = grid;
    arguments.push_back(image);
    return arguments;
  };
  CHECK(
      report_error(program, with("bad.png")).starts_with("3 mha-viz: error: bad.png: damaged pic"));
  CHECK(
      contains(report_error(program, with("in.json")), "in.json: not a picture that can be read"));
  CHECK(report_error(program, with("none.png")).starts_with("3 mha-viz: error: none.png"));
}

TEST_CASE("the memory that a picture takes is counted") {
  const Program program;
  program.write("in.json", seven_tokens());
  program.write("large.png", png_of(4000, 2000));
  const std::vector<std::string> draw{"draw",      "in.json", "--grid",  "2x3",
                                      "--prefix",  "1",       "--image", "large.png",
                                      "--threads", "1",       "-o",      "x.png"};
  const auto with_memory = [&](const std::string& memory) {
    std::vector<std::string> arguments = draw;
    arguments.insert(arguments.end(), {"--memory", memory});
    return program.run(arguments);
  };
  const test::ProcessResult refused = with_memory("10M");
  CHECK(refused.code == 3);
  CHECK(contains(refused.err,
                 "large.png: needs about 106.8 MiB of memory to be decoded; expected at most "
                 "10.0 MiB"));
  CHECK(contains(refused.err, "make the picture smaller"));
  CHECK(with_memory("110M").code == 0);
}

}  // namespace
}  // namespace mha
