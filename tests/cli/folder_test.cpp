// The folder that run writes: what is in it, and what it does to a folder that is there.
#include "program.hpp"

namespace mha {
namespace {

using test::example;
using test::Program;
using Names = std::vector<std::string>;

TEST_CASE("run writes a picture for each head, an overview and the numbers") {
  const Program program;
  program.must_run({example("creature.json"), "-o", "out"});
  const Names expected = {"attention.json",   "heads/L00H00.png", "heads/L00H01.png",
                          "heads/L00H02.png", "heads/L00H03.png", "output.json",
                          "overview.png",     "relations.png",    "summary.json"};
  CHECK(program.files("out") == expected);
  for (const std::string& name : expected) {
    if (!name.ends_with(".png")) continue;
    CHECK(program.read("out/" + name).starts_with("\x89PNG\r\n\x1A\n"));
  }
  Names listed = program.json("out/summary.json")["files"];
  listed.emplace_back("summary.json");
  std::ranges::sort(listed);
  CHECK(listed == expected);
}

TEST_CASE("names of heads are padded to two digits and kept for more") {
  const Program program;
  program.write("in.json", R"({"text": "a b", "attention": {"n_heads": 101, "d_head": 1}})");
  program.must_run({"in.json", "-o", "out", "--heads", "L0H3,L0H42,L0H100,L0mean"});
  for (const char* name : {"L00H03", "L00H42", "L00H100", "L00mean"}) {
    CHECK(program.has(std::string("out/heads/") + name + ".png"));
  }
}

TEST_CASE("without -o the folder is mha-viz-out, and --no-png writes no picture") {
  const Program program;
  program.must_run({example("text.json"), "--no-png"});
  CHECK(program.files("mha-viz-out") == Names{"attention.json", "output.json", "summary.json"});
}

TEST_CASE("run --no-output leaves out the outputs of the layers and changes no weight") {
  const Program program;
  program.must_run({example("text.json"), "--no-png", "-o", "with"});
  program.must_run({example("text.json"), "--no-png", "--no-output", "-o", "without"});
  CHECK(program.files("without") == Names{"attention.json", "summary.json"});
  CHECK(program.read("without/attention.json") == program.read("with/attention.json"));
}

TEST_CASE("a folder with other files is refused and left as it is") {
  const Program program;
  program.write("out/mine.txt", "mine");
  program.write("out/summary.json", "{\"format\": \"something else\"}");
  const test::ProcessResult result = program.run({example("text.json"), "-o", "out"});
  CHECK(result.code == 4);
  CHECK(result.err ==
        "mha-viz: error: out: is not empty and was not written by mha-viz\n"
        "  hint: choose another folder, or add --force to write into it\n");
  CHECK(program.files("out") == Names{"mine.txt", "summary.json"});
  CHECK(program.read("out/mine.txt") == "mine");
}

TEST_CASE("the flag --force writes beside other files and keeps them") {
  const Program program;
  program.write("out/mine.txt", "mine");
  program.must_run({example("text.json"), "-o", "out", "--no-png", "--force"});
  CHECK(program.files("out") == Names{"attention.json", "mine.txt", "output.json", "summary.json"});
}

TEST_CASE("our own folder is replaced: stale files go, other people's stay") {
  const Program program;
  program.must_run({example("causal.json"), "-o", "out"});
  CHECK(program.has("out/heads/L01H00.png"));
  program.write("out/mine.txt", "mine");
  program.must_run({example("one-head.json"), "-o", "out", "--weights", "npy"});
  CHECK(program.files("out") == Names{"attention.npy", "heads/L00H00.png", "mine.txt",
                                      "output.json", "overview.png", "relations.png",
                                      "summary.json"});
  program.must_run({example("one-head.json"), "-o", "out", "--no-png"});
  CHECK_FALSE(program.has("out/heads"));  // an empty folder of ours goes, too
}

TEST_CASE("a summary that lists files outside of its folder removes none of them") {
  const Program program;
  program.write("precious.txt", "keep");
  program.write("out/summary.json",
                R"({"format": "mha-viz summary 1", "files": ["../precious.txt", ")" +
                    program.file("precious.txt") + "\"]}");
  program.must_run({example("text.json"), "-o", "out", "--no-png"});
  CHECK(program.read("precious.txt") == "keep");
}

TEST_CASE("an unusable target is found before the work") {
  const Program program;
  program.write("file", "x");
  const test::ProcessResult result = program.run({example("text.json"), "-o", "file"});
  CHECK(result.code == 4);
  CHECK(result.err == "mha-viz: error: file: is a file; expected a folder\n");
  const test::ProcessResult below = program.run({example("text.json"), "-o", "file/below", "-q"});
  CHECK(below.code == 4);
  CHECK(below.err == "mha-viz: error: file/below: cannot be created: Not a directory\n");
  const test::ProcessResult proc = program.run({example("text.json"), "-o", "/proc/mha-viz"});
  CHECK(proc.code == 4);  // a place where nobody may write
  CHECK(program.read("file") == "x");
}

TEST_CASE("a failed run leaves the results of the one before") {
  const Program program;
  program.must_run({example("text.json"), "-o", "out", "--no-png"});
  const std::string before = program.read("out/summary.json");
  CHECK(program.run({"none.json", "-o", "out"}).code == 3);
  CHECK(program.run({example("text.json"), "-o", "out", "--heads", "L9H9"}).code == 2);
  CHECK(program.read("out/summary.json") == before);
}

TEST_CASE("a run that fails while it writes leaves the results of the one before") {
  const Program program;
  program.must_run({example("text.json"), "-o", "out", "--no-png"});
  const std::string before = program.read("out/summary.json");
  std::filesystem::create_directories(program.file("out/overview.png"));  // in the way
  const test::ProcessResult result = program.run({example("creature.json"), "-o", "out"});
  CHECK(result.code == 4);
  CHECK(result.err.ends_with("error: out/overview.png: is a directory; expected a file\n"));
  CHECK(program.read("out/summary.json") == before);
  CHECK(program.files("out") == Names{"attention.json", "output.json", "summary.json"});
}

TEST_CASE("what a killed run left is neither results nor in the way") {
  const Program program;
  program.write("out/.mha-viz-new.2147483646/heads/L00H00.png", "half");  // no such process
  program.must_run({example("text.json"), "-o", "out", "--no-png"});
  CHECK(program.files("out") == Names{"attention.json", "output.json", "summary.json"});
}

TEST_CASE("any number of threads writes the same bytes, in every file") {
  const Program program;
  for (const char* input : {"causal.json", "cross-attention.json", "gqa.json"}) {
    program.must_run({example(input), "-o", "one", "--threads", "1"});
    program.must_run({example(input), "-o", "four", "--threads", "4"});
    REQUIRE(program.files("one") == program.files("four"));
    for (const std::string& name : program.files("one")) {
      INFO(input << " " << name);
      CHECK(program.read("one/" + name) == program.read("four/" + name));
    }
  }
}

TEST_CASE("a larger input has the same bytes with any number of threads, weights included") {
  const Program program;
  std::string text;
  for (int i = 0; i < 700; ++i) text += "word" + std::to_string(i % 97) + " ";
  program.write("in.json", R"({"text": ")" + text + R"(", "attention": {"n_heads": 8}})");
  const auto run = [&](const char* threads, const char* folder) {
    program.must_run(
        {"in.json", "-o", folder, "--threads", threads, "--weights", "npy", "--max-size", "200"});
  };
  run("1", "one");
  run("4", "four");
  for (const std::string& name : program.files("one")) {
    INFO(name);
    CHECK((program.read("one/" + name) == program.read("four/" + name)));
  }
}

}  // namespace
}  // namespace mha
