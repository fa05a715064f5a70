// Tensor files through the binary: reading, ranges, top edges, memory.
#include <algorithm>
#include <limits>
#include <sstream>

#include "mha/io/npy.hpp"
#include "mha/io/safetensors.hpp"

#include "cli/program.hpp"
#include "support/catch.hpp"
#include "support/collect.hpp"

namespace mha {
namespace {

using test::Program;

std::string raw(const Matrix& m) {
  return {reinterpret_cast<const char*>(m.data()), m.rows() * m.cols() * sizeof(float)};
}

// Q and K of `n_heads` heads and n tokens as a safetensors file.
void write_qk(const Program& program, std::size_t n_heads, std::size_t n, std::size_t d) {
  const Shape shape{n_heads, n, d};
  const std::string header =
      safetensors_header({{"q", DType::kF32, shape}, {"k", DType::kF32, shape}});
  program.write("qk.safetensors", header + raw(test::random_matrix(n_heads * n, d, 1)) +
                                      raw(test::random_matrix(n_heads * n, d, 2)));
}

TEST_CASE("top edges are the largest weights of each row, in order") {
  const Program program;
  write_qk(program, 2, 9, 4);
  program.must_run({"qk.safetensors", "--causal", "-o", "out", "--top-k", "3", "--no-png"});
  const auto weights = program.json("out/attention.json")["attention_weights"][0];
  std::istringstream lines(program.read("out/edges.csv"));
  std::string line;
  std::getline(lines, line);
  CHECK(line == "layer,head,query,key,weight");
  std::size_t count = 0;
  for (std::size_t h = 0; h < 2; ++h) {
    for (std::size_t i = 0; i < 9; ++i) {
      std::vector<std::pair<double, std::size_t>> row;
      for (std::size_t j = 0; j <= i; ++j) row.emplace_back(-weights[h][i][j].get<double>(), j);
      std::sort(row.begin(), row.end());
      for (std::size_t e = 0; e < std::min<std::size_t>(3, row.size()); ++e, ++count) {
        REQUIRE(std::getline(lines, line));
        const std::string start = "0," + std::to_string(h) + "," + std::to_string(i) + "," +
                                  std::to_string(row[e].second) + ",";
        CHECK(line.substr(0, start.size()) == start);
        CHECK(std::stod(line.substr(start.size())) == Approx(-row[e].first));
      }
    }
  }
  CHECK_FALSE(std::getline(lines, line));
  CHECK(count == 2 * (1 + 2 + 7 * 3));
}

TEST_CASE("a weight that is no number is told of once, and the rows around it are still weights") {
  const Program program;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> weights{1, 0, nan, 0.5F};
  program.write("w.npy", npy_header({1, 1, 2, 2}) +
                             std::string(reinterpret_cast<const char*>(weights.data()), 16));
  const std::string warning =
      "mha-viz: warning: w.npy: layer 0: 1 weight is not a finite number; it is drawn in its own "
      "colour\n";
  CHECK(program.run({"score", "w.npy"}).err == warning);
  const test::ProcessResult result = program.run({"w.npy", "-o", "out", "--no-png"});
  CHECK(result.err.starts_with(warning));
  CHECK(result.err.find("finite", warning.size()) == std::string::npos);
  CHECK(result.err.find("sum to 1") == std::string::npos);

  const std::vector<float> unknown{nan, 0.5F, nan, 0.5F};
  program.write("u.npy", npy_header({1, 1, 2, 2}) +
                             std::string(reinterpret_cast<const char*>(unknown.data()), 16));
  CHECK(program.run({"u.npy", "-o", "unknown", "--no-png"}).err.find("sum to 1") !=
        std::string::npos);
}

TEST_CASE("a query range counts these queries alone, and equals the same rows of the whole") {
  const Program program;
  write_qk(program, 1, 40, 4);
  program.must_run({"qk.safetensors", "--causal", "-o", "whole", "--no-png", "--top-k", "1"});
  program.must_run({"qk.safetensors", "--causal", "-o", "part", "--query-range", "10-19",
                    "--key-range", "5-24", "--top-k", "1"});
  CHECK(program.json("part/summary.json")["heads"][0]["entropy"]["rows"] == 10);
  CHECK_FALSE(program.has("part/attention.json"));
  const std::string whole = program.read("whole/edges.csv");
  const std::string part = program.read("part/edges.csv");
  const std::string rows = part.substr(part.find('\n') + 1);
  CHECK(rows.substr(0, 7) == "0,0,10,");
  CHECK(whole.find(rows) != std::string::npos);
  const test::ProcessResult beyond =
      program.run({"qk.safetensors", "-o", "x", "--query-range", "30-40", "--quiet"});
  CHECK(beyond.code == 2);
  CHECK(beyond.err ==
        "mha-viz: error: --query-range: expected FIRST-LAST within 0 to 39, got '30-40'\n");
}

TEST_CASE("heatmaps without statistics are written, and the summary says that there are none") {
  const Program program;
  write_qk(program, 2, 300, 8);
  program.must_run(
      {"qk.safetensors", "--causal", "-o", "out", "--weights", "none", "--analysis", "none"});
  const nlohmann::json summary = program.json("out/summary.json");
  CHECK(summary["options"]["analysis"] == "none");
  CHECK(summary["heads"] == nlohmann::json::parse(R"([{"head": "L0H0"}, {"head": "L0H1"}])"));
  CHECK(program.files("out") == std::vector<std::string>{"heads/L00H00.png", "heads/L00H01.png",
                                                         "overview.png", "summary.json"});
}

TEST_CASE("memory that is too small for the usual blocks gives the same weights in smaller ones") {
  const Program program;
  write_qk(program, 1, 2000, 8);
  program.must_run({"qk.safetensors", "-o", "much", "--weights", "none", "--no-png"});
  program.must_run({"qk.safetensors", "-o", "little", "--weights", "none", "--no-png", "--memory",
                    "1500K", "--threads", "2"});
  program.must_run({"qk.safetensors", "-o", "one", "--weights", "none", "--no-png", "--memory",
                    "1500K", "--threads", "1"});
  CHECK(program.read("one/summary.json") == program.read("little/summary.json"));
  const auto entropy = [&program](const std::string& folder) {
    return program.json(folder + "/summary.json")["heads"][0]["entropy"]["value"].get<double>();
  };
  CHECK(entropy("much") == Approx(entropy("little")).epsilon(1e-6));
  const test::ProcessResult none = program.run(
      {"qk.safetensors", "-o", "no", "--weights", "none", "--no-png", "--memory", "140K"});
  CHECK(none.code == 3);
  CHECK(none.err.find("needs about") != std::string::npos);
  CHECK_FALSE(program.has("no"));
}

TEST_CASE("inspect says what a file holds and how it is read, as text and as JSON") {
  const Program program;
  write_qk(program, 2, 5, 4);
  const test::ProcessResult text = program.run({"inspect", "qk.safetensors"});
  CHECK(text.code == 0);
  CHECK(text.out.find("  q       F32   2x5x4  ") != std::string::npos);
  CHECK(text.out.find("read as qk: there are arrays named as queries and as keys\n") !=
        std::string::npos);
  CHECK(text.out.find("1 layer of 2 heads, 5 queries on 5 keys, self-attention\n") !=
        std::string::npos);
  const test::ProcessResult found =
      program.run({"inspect", "qk.safetensors", "--format", "json", "--causal"});
  const nlohmann::json facts = nlohmann::json::parse(found.out);
  CHECK(facts["tensors"][1]["name"] == "k");
  CHECK(facts["tensors"][0]["shape"] == nlohmann::json({2, 5, 4}));
  CHECK(facts["inputs"][0]["what"] ==
        "1 layer of 2 heads, 5 queries on 5 keys, self-attention, causal");
  const test::ProcessResult missing = program.run({"inspect", "none.npy"});
  CHECK(missing.code == 3);
}

TEST_CASE("labels from a file, and a wrong number of them") {
  const Program program;
  write_qk(program, 1, 3, 4);
  program.write("tokens.json", R"(["a", "b", "c"])");
  program.write("two.txt", "a\nb\n");
  program.must_run({"qk.safetensors", "--tokens", "tokens.json", "-o", "out", "--no-png"});
  CHECK(program.json("out/summary.json")["tokens"] == nlohmann::json({"a", "b", "c"}));
  const test::ProcessResult wrong =
      program.run({"qk.safetensors", "--tokens", "two.txt", "-o", "x"});
  CHECK(wrong.code == 3);
  CHECK(wrong.err ==
        "mha-viz: error: qk.safetensors: --tokens: wrong number of labels; expected 3, got 2\n");
}

}  // namespace
}  // namespace mha
