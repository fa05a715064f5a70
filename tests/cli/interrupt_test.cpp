// Ctrl-C: exit code 130, and nothing half-written stays.
#include <chrono>
#include <thread>

#include "mha/io/npy.hpp"

#include "program.hpp"
#include "support/raw_files.hpp"

namespace mha {
namespace {

using test::Program;

// A document that keeps the machine busy for a while.
void write_long_input(const Program& program) {
  constexpr std::size_t kTokens = 6000;
  constexpr std::size_t kWidth = 64;
  std::vector<float> x(kTokens * kWidth);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 1000) / 1000;
  program.write("x.npy", npy_header({kTokens, kWidth}) + test::raw_of(x));
  program.write("in.json", R"({"embeddings": {"file": "x.npy"}, "attention": {"n_heads": 16},)"
                           R"( "layers": [{}, {}, {}, {}, {}, {}]})");
}

TEST_CASE("an interrupt ends a long run with 130 and leaves no files") {
  for (int signal : {SIGINT, SIGTERM}) {
    const Program program;
    write_long_input(program);
    test::Process process = program.start({"in.json", "-o", "out", "--max-size", "100"});
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    REQUIRE_FALSE(process.has_ended());  // otherwise the input is too short for this machine
    const auto start = std::chrono::steady_clock::now();
    process.send(signal);
    const test::ProcessResult result = process.finish();
    CHECK(result.code == 130);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    CHECK(result.err.ends_with("mha-viz: error: interrupted\n"));
    CHECK(program.files() == std::vector<std::string>{"in.json", "x.npy"});
    CHECK_FALSE(program.has("out"));
  }
}

TEST_CASE("an interrupt leaves the results of the run before") {
  const Program program;
  write_long_input(program);
  program.must_run({"--text", "a b", "-o", "out", "--no-png"});
  const std::string before = program.read("out/summary.json");
  test::Process process = program.start({"in.json", "-o", "out", "--max-size", "100"});
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  process.send(SIGINT);
  CHECK(process.finish().code == 130);
  CHECK(program.read("out/summary.json") == before);
}

}  // namespace
}  // namespace mha
