// draw --grid: attention on the patches of a picture.
#include "patches.hpp"

namespace mha {
namespace {

using test::contains;
using test::Program;
using test::seven_tokens;

std::string draw_error(const Program& program, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"draw", "in.json", "-o", "x.png"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const test::ProcessResult result = program.run(arguments);
  CHECK(result.code != 0);
  CHECK_FALSE(program.has("x.png"));
  return std::to_string(result.code) + " " + result.err;
}

TEST_CASE("a query of image attention is a patch or a token in front of them") {
  const Program program;
  program.write("in.json", seven_tokens());
  const std::vector<std::string> grid{"--grid", "2x3", "--prefix", "1"};
  const auto draw = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> arguments{"draw", "in.json", "-o", name};
    arguments.insert(arguments.end(), grid.begin(), grid.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    program.must_run(arguments);
    return program.read(name);
  };
  const std::string cls = draw("cls.png", {});
  CHECK((draw("named.png", {"--query", "[CLS]"}) == cls));
  const std::string patch = draw("patch.png", {"--query", "1,2"});
  CHECK((patch != cls));
  CHECK((draw("index.png", {"--query", "6"}) == patch));
  CHECK((draw("both.png", {"--query", "0;1,2"}) != patch));
}

TEST_CASE("a grid that does not fit is refused with both numbers and the likely one") {
  const Program program;
  program.write("in.json", seven_tokens());
  const std::string wrong = draw_error(program, {"--grid", "2x2"});
  CHECK(contains(wrong,
                 "2 mha-viz: error: --grid 2x2 with --prefix 0 makes 0 + 4 keys, and the input "
                 "has 7"));
  CHECK(contains(wrong, "hint: try --grid 2x2 --prefix 3"));
  CHECK(contains(draw_error(program, {"--grid", "0x7"}), "--grid: expected ROWSxCOLS"));
  CHECK(contains(draw_error(program, {"--grid", "2x3", "--prefix", "1", "--query", "2,0"}),
                 "expected a patch from 0,0 to 1,2"));
}

TEST_CASE("what is no picture is refused with exit code 3 and its name") {
  const Program program;
  program.write("in.json", seven_tokens());
  program.write("bad.png", "\x89PNG\r\n\x1a\n and then nothing");
  const std::string error =
      draw_error(program, {"--grid", "2x3", "--prefix", "1", "--image", "bad.png"});
  CHECK(error.starts_with("3 mha-viz: error: bad.png: damaged picture"));
  CHECK(contains(draw_error(program, {"--grid", "2x3", "--prefix", "1", "--image", "in.json"}),
                 "in.json: not a picture that can be read; expected PNG or JPEG"));
}

}  // namespace
}  // namespace mha
